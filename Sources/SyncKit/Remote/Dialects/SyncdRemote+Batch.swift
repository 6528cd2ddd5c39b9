extension SyncdRemote {
  func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    guard !writes.isEmpty else { return WriteResult(outcomes: []) }
    let lines = lines(for: writes)
    let limits = capabilities
    var result = WriteResult(outcomes: [])
    var start = 0
    while start < writes.count {
      var end = start + 1
      while end < writes.count, end - start < limits.batch,
        lines.ends[end] - lines.start(of: start) <= limits.bytes
      {
        end += 1
      }
      let part = try await send(writes[start..<end], lines)
      result = start == 0 ? part : result.followed(by: part)
      start = end
    }
    return result
  }

  /// The lines of a batch, one after the other.
  private struct Lines {
    var bytes: [UInt8] = []
    /// Where each of them ends.
    var ends: [Int] = []

    func start(of line: Int) -> Int { line == 0 ? 0 : ends[line - 1] }

    func text(_ range: Range<Int>) -> [UInt8] {
      let part = start(of: range.lowerBound)..<start(of: range.upperBound)
      return part.count == bytes.count ? bytes : Array(bytes[part])
    }
  }

  /// Sends one batch, in halves where it is too large for the remote.
  private func send(
    _ writes: ArraySlice<RemoteWrite>, _ lines: Lines
  ) async throws -> WriteResult {
    let body = lines.text(writes.indices)
    var request = session.request(.post, try endpoint("batch"), body: .bytes(body))
    request.headers.add("Content-Type", "application/x-ndjson")
    let (response, afterTrouble) = try await session.sendRepeated(
      collection: request, accepting: [413])
    if response.status == 413 {
      guard writes.count > 1 else {
        return WriteResult(
          outcomes: [.refused(status: 413, message: session.words(of: response))])
      }
      let middle = writes.startIndex + writes.count / 2
      let first = try await send(writes[..<middle], lines)
      return first.followed(by: try await send(writes[middle...], lines))
    }
    var result = WriteResult(outcomes: try outcomes(response, of: writes, request))
    if afterTrouble { try await settle(&result, writes) }
    result.version = response.headers["ETag"].map { CollectionVersion($0) }
    result.previous =
      afterTrouble ? nil : response.headers["Syncd-Previous-ETag"].map { CollectionVersion($0) }
    return result
  }

  private func lines(for writes: [RemoteWrite]) -> Lines {
    var lines = Lines()
    lines.bytes.reserveCapacity(writes.reduce(0) { $0 + $1.weight })
    lines.ends.reserveCapacity(writes.count)
    for write in writes {
      append(write, to: &lines.bytes)
      lines.ends.append(lines.bytes.count)
    }
    return lines
  }

  /// Appends one line of a batch: `{"put":{…},"ifMatch":"…"}`.
  private func append(_ write: RemoteWrite, to bytes: inout [UInt8]) {
    let condition: WriteCondition
    switch write {
    case .put(let project, let asked):
      bytes.append(json: "{\"put\":")
      encoder.append(project, to: &bytes)
      condition = asked
    case .delete(let id, let asked):
      bytes.append(json: "{")
      bytes.appendMember("delete", string: id.string, first: true)
      condition = asked
    }
    switch condition {
    case .absent: bytes.appendMember("ifNoneMatch", string: "*")
    case .matches(let digest):
      bytes.appendMember("ifMatch", string: digest.etag ?? digest.version.raw)
    }
    bytes.append(json: "}\n")
  }

  /// Reads one outcome a line, in the order of the writes.
  private func outcomes(
    _ response: HTTPResponse, of writes: ArraySlice<RemoteWrite>, _ request: HTTPRequest
  ) throws -> [WriteOutcome] {
    let lines = try resultLines(response, count: writes.count, request)
    return try zip(lines, writes).map { line, write in
      guard let status = line.status, line.names(write.id, orNone: status >= 400) else {
        throw session.violation(request.url, "a result that names another record")
      }
      switch status {
      case 404, 410:
        if case .delete = write { return .deleted }
        return refusal(status, line)
      case 200..<300:
        guard case .put(let project, _) = write else { return .deleted }
        guard let etag = line.etag else {
          throw session.violation(request.url, "a stored record without its etag")
        }
        return .stored(
          RemoteDigest(
            id: project.id, updatedAt: line.updatedAt ?? project.updatedAt,
            version: Version(etag), etag: etag))
      case 409, 412: return .preconditionFailed
      default: return refusal(status, line)
      }
    }
  }

  private func refusal(_ status: Int, _ line: ResultLine) -> WriteOutcome {
    let words = ServerWords.cut(session.redaction.applied(to: line.detail ?? ""))
    return .refused(status: status, message: words.isEmpty ? "HTTP \(status)" : words)
  }

  /// Looks how those writes ended that an earlier attempt, whose answer was lost, may have done.
  private func settle(
    _ result: inout WriteResult, _ writes: ArraySlice<RemoteWrite>
  ) async throws {
    let doubtful = zip(result.outcomes.indices, writes).filter {
      result.outcomes[$0.0] == .preconditionFailed
    }
    guard !doubtful.isEmpty else { return }
    let found = try await fetch(doubtful.map(\.1.id))
    for ((index, write), found) in zip(doubtful, found) {
      switch (write, found) {
      case (.put(let project, _), .record(let record))
      where record.project.hasContents(of: project)
        && record.project.updatedAt == project.updatedAt:
        result.outcomes[index] = .stored(record.digest)
      case (.delete, .absent): result.outcomes[index] = .deleted
      default: break
      }
    }
  }
}

extension RemoteWrite {
  /// About the bytes of its line.
  fileprivate var weight: Int {
    switch self {
    case .put(let project, _): project.weight + 256
    case .delete: 128
    }
  }
}

extension WriteResult {
  /// Two batches as one: the version before the first, while nobody wrote between them.
  fileprivate func followed(by next: WriteResult) -> WriteResult {
    WriteResult(
      outcomes: outcomes + next.outcomes, version: next.version,
      previous: version != nil && version == next.previous ? previous : nil)
  }
}
