extension DialectRemote {
  func fetch(_ ids: [ProjectID]) async throws -> [FetchOutcome] {
    let possible = ids.filter { D.fault(ofID: written($0)) == nil }
    guard !possible.isEmpty else { return ids.map { _ in .absent } }
    let chunks = possible.chunks(of: max(1, dialect.traits.fetchesPerRequest))
    let width = dialect.traits.fetchesPerRequest == 1 ? session.options.concurrency : 1
    let requests = chunks.map { chunk in Single { try await self.fetch(chunk: chunk) } }
    var found: [ProjectID: FetchOutcome] = [:]
    for part in try await Single.zip(requests, maxConcurrent: width).run() {
      found.merge(part) { first, _ in first }
    }
    return ids.map { found[$0] ?? .absent }
  }

  /// The id as the server has it.
  func written(_ id: ProjectID) -> String { dialect.context.ids.encode(id.string) }

  private func fetch(chunk ids: [ProjectID]) async throws -> [ProjectID: FetchOutcome] {
    var found = try await ask(ids)
    // What a server left out for want of room is asked for again, until nothing more comes.
    while dialect.traits.cutsAnswers, !found.isEmpty, found.count < ids.count {
      let missing = ids.filter { found[$0] == nil }
      let more = try await ask(missing)
      guard !more.isEmpty else { break }
      found.merge(more) { first, _ in first }
    }
    return found
  }

  private func ask(_ ids: [ProjectID]) async throws -> [ProjectID: FetchOutcome] {
    let request = try dialect.fetching(ids)
    switch try await session.send(record: request) {
    case .stopped: throw CancellationError()
    case .failed(let status, let message):
      if ids.count > 1 { return try await halves(ids) }
      return [ids[0]: .refused(status: status, message: message)]
    case .response(let response, _):
      if response.head.isSuccess { try await dialect.learnVersions() }
      if ids.count == 1, let outcome = try dialect.found(in: response, of: ids[0]) {
        return [ids[0]: outcome]
      }
      if response.head.isSuccess { return try found(in: response, ids, request) }
      if ids.count > 1, [400, 413, 414, 422, 431].contains(response.status) {
        return try await halves(ids)
      }
      if ids.count == 1, response.status != 403, !dialect.concernsAll(response) {
        return [
          ids[0]: .refused(status: response.status, message: session.words(of: response))
        ]
      }
      throw response.status == 403
        ? session.unauthorized(request, response) : session.unexpected(request, response)
    }
  }

  private func halves(_ ids: [ProjectID]) async throws -> [ProjectID: FetchOutcome] {
    let middle = ids.count / 2
    let first = try await ask(Array(ids[..<middle]))
    return first.merging(try await ask(Array(ids[middle...]))) { first, _ in first }
  }

  private func found(
    in response: HTTPResponse, _ ids: [ProjectID], _ request: HTTPRequest
  ) throws -> [ProjectID: FetchOutcome] {
    // Keyed by bytes: two texts that `String` takes for one are two ids.
    let asked = Dictionary(
      ids.map { (ProjectID(trusted: written($0)), $0) }, uniquingKeysWith: { first, _ in first })
    var found: [ProjectID: FetchOutcome] = [:]
    func note(_ id: ProjectID, _ outcome: FetchOutcome) {
      // Two records under one id are nobody's to choose between.
      found[id] =
        found[id] == nil
        ? outcome
        : .unreadable(UnreadableRecord(id: id.string, reason: "the remote has it twice"))
    }
    var stream = JSONElementStream(path: dialect.fetchedAt)
    do {
      try stream.consume(response.body) { element in
        do {
          switch try dialect.fetched(element) {
          case .record(let record)?:
            if asked[ProjectID(trusted: written(record.project.id))] == record.project.id {
              note(record.project.id, .record(record))
            }
          case .absent(let id)?: if let id = asked[ProjectID(trusted: id)] { note(id, .absent) }
          case nil: break
          }
        } catch let error as UnreadableRecord {
          if let id = asked[ProjectID(trusted: error.id)] ?? (ids.count == 1 ? ids[0] : nil) {
            note(id, .unreadable(UnreadableRecord(id: id.string, reason: error.reason)))
          }
        }
      }
      _ = try stream.finish()
    } catch let error as JSONError {
      throw session.violation(
        request.url, "not the records that were asked for: \(error.description)",
        status: response.status)
    }
    if dialect.traits.namesAbsent, found.count < ids.count {
      throw session.violation(
        request.url,
        "an answer that says nothing of \(ids.count - found.count) of \(ids.count) records",
        status: response.status)
    }
    return found
  }
}
