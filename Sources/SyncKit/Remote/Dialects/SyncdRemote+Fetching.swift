extension SyncdRemote {
  func fetch(_ ids: [ProjectID]) async throws -> [FetchOutcome] {
    let width = capabilities.fetch
    var outcomes: [FetchOutcome] = []
    outcomes.reserveCapacity(ids.count)
    for start in stride(from: 0, to: ids.count, by: width) {
      outcomes += try await fetch(part: ids[start..<min(start + width, ids.count)])
    }
    return outcomes
  }

  private func fetch(part ids: ArraySlice<ProjectID>) async throws -> [FetchOutcome] {
    var body: [UInt8] = []
    for id in ids {
      body.append(json: body.isEmpty ? "[" : ",")
      body.append(jsonString: id.string)
    }
    body.append(json: "]")
    var request = session.request(.post, try endpoint("fetch"), body: .bytes(body))
    request.headers.add("Content-Type", "application/json")
    let response: HTTPResponse
    do {
      response = try await session.send(collection: request, accepting: [413])
    } catch let error as SyncError where error.isTooLarge {
      return try await halves(of: ids, refusal: "over \(request.responseLimit) bytes")
    }
    if response.status == 413 {
      return try await halves(of: ids, refusal: session.words(of: response))
    }
    let lines = try resultLines(response, request)
    guard lines.count == ids.count else {
      throw session.violation(
        request.url, "\(lines.count) results came for \(ids.count) records")
    }
    return try zip(lines, ids).map { try outcome($0, of: $1, request) }
  }

  private func halves(
    of ids: ArraySlice<ProjectID>, refusal: String
  ) async throws -> [FetchOutcome] {
    guard ids.count > 1 else { return [.refused(status: 413, message: refusal)] }
    let middle = ids.startIndex + ids.count / 2
    return try await fetch(part: ids[..<middle]) + fetch(part: ids[middle...])
  }

  private func outcome(
    _ line: ResultLine, of id: ProjectID, _ request: HTTPRequest
  ) throws -> FetchOutcome {
    guard line.names(id, orNone: false) else {
      throw session.violation(request.url, "a result that names another record")
    }
    if let record = line.record {
      guard let etag = line.etag else {
        throw session.violation(request.url, "a record without its etag")
      }
      do {
        var record = try decoder.record(record, etag: etag)
        guard record.project.id == id else {
          throw UnreadableRecord(id: id.string, reason: "the remote has another id in the record")
        }
        (record.version, record.etag) = (Version(etag), etag)
        return .record(record)
      } catch let error as UnreadableRecord {
        return .unreadable(UnreadableRecord(id: id.string, reason: error.reason))
      }
    }
    switch line.status {
    case 404, 410: return .absent
    case let status?:
      let words = ServerWords.cut(session.redaction.applied(to: line.detail ?? ""))
      return .refused(status: status, message: words.isEmpty ? "HTTP \(status)" : words)
    case nil: throw session.violation(request.url, "a result with neither a record nor a status")
    }
  }
}

extension SyncError {
  fileprivate var isTooLarge: Bool { (underlying as? TransportError)?.code == .tooLarge }
}
