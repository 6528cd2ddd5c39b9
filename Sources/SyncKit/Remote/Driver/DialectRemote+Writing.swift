import Synchronization

extension DialectRemote {
  func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    try await learn()
    var outcomes = [WriteOutcome?](repeating: nil, count: writes.count)
    var groups: [Int: [Indexed]] = [:]
    for (index, asked) in writes.enumerated() {
      // None of these servers remembers what was deleted.
      let write = asked.withoutMemory
      switch encoded(write) {
      case .success(let encoded):
        groups[dialect.group(of: write), default: []].append((index, encoded))
      case .failure(let stop): outcomes[index] = stop.outcome
      }
    }
    for (group, items) in groups.sorted(by: { $0.key < $1.key }) {
      let most = dialect.most(inGroup: group)
      var ended = Ended()
      let rest = try await tryConditions(items, &ended)
      let requests = chunks(of: rest, most: most).map { chunk in
        Single { try await self.send(chunk) }
      }
      let width = most == 1 ? session.options.concurrency : 1
      for part in try await Single.zip(requests, maxConcurrent: width).run() { ended += part }
      ended.outcomes += try await name(ended.unnamed)
      for (index, outcome) in ended.outcomes { outcomes[index] = outcome }
    }
    var result = WriteResult(
      outcomes: outcomes.map { $0 ?? .refused(status: 0, message: "the server said nothing of it") }
    )
    (result.previous, result.version) = step()
    return result
  }

  typealias Indexed = (index: Int, write: EncodedWrite)

  /// How writes ended; of some it is left to find out under which version.
  struct Ended {
    var outcomes: [(Int, WriteOutcome)] = []
    var unnamed: [Indexed] = []

    /// Whether anything was written.
    var hasStored: Bool { !unnamed.isEmpty || outcomes.contains { $0.1.held != nil } }

    static func += (ended: inout Ended, more: Ended) {
      ended.outcomes += more.outcomes
      ended.unnamed += more.unnamed
    }
  }

  /// A write that ended before it was sent.
  private struct Stop: Error {
    var outcome: WriteOutcome
  }

  private func encoded(_ write: RemoteWrite) -> Result<EncodedWrite, Stop> {
    if let fault = D.fault(ofID: written(write.id)) {
      if case .delete = write { return .failure(Stop(outcome: .deleted)) }
      return .failure(Stop(outcome: .refused(status: 0, message: fault)))
    }
    guard case .put(let project, _) = write else {
      return .success(EncodedWrite(write: write, body: []))
    }
    if let fault = dialect.fault(of: project) {
      return .failure(Stop(outcome: .refused(status: 0, message: fault)))
    }
    do {
      return .success(EncodedWrite(write: write, body: try dialect.context.encode(project)))
    } catch {
      return .failure(Stop(outcome: .refused(status: 0, message: error.reason)))
    }
  }

  /// Where many records are to be created, and it is not known what the server makes of conditions, creates one
  /// and finds out.
  ///
  /// - Returns: what is left to do.
  private func tryConditions(_ items: [Indexed], _ result: inout Ended) async throws -> [Indexed] {
    let creates = items.indices.filter { items[$0].write.write.condition.wantsNone }
    guard creates.count >= 8, dialect.honoursConditions == nil, let first = creates.first else {
      return items
    }
    result = try await send([items[first]])
    if result.hasStored, try await dialect.tryConditions(with: items[first].write) {
      // Its version is another one since.
      if result.unnamed.isEmpty { result.unnamed = [items[first]] }
      result.outcomes = []
    }
    var rest = items
    rest.remove(at: first)
    return rest
  }

  private func chunks(of items: [Indexed], most: Int) -> [[Indexed]] {
    var chunks: [[Indexed]] = []
    var (chunk, bytes) = ([Indexed](), 0)
    for item in items {
      let isFull =
        chunk.count >= most
        || bytes + item.write.body.count > dialect.traits.bytesPerRequest
      if isFull, !chunk.isEmpty {
        chunks.append(chunk)
        (chunk, bytes) = ([], 0)
      }
      chunk.append(item)
      bytes += item.write.body.count
    }
    return chunk.isEmpty ? chunks : chunks + [chunk]
  }

  /// The collection's version before and after writes of our own. The server does not say it, but
  /// the changes since a version that was seen before them still tell everything.
  private func step() -> (before: CollectionVersion?, after: CollectionVersion?) {
    state.withLock { state in
      guard var cursor = state.version else { return (nil, nil) }
      let before = cursor.text
      cursor.writes += 1
      state.version = cursor
      return (before, cursor.text)
    }
  }

  // MARK: One request

  private func send(_ items: [Indexed]) async throws -> Ended {
    guard looks(before: items) else { return try await send(checked: items) }
    let creates = items.contains { $0.write.write.condition.wantsNone }
    guard creates, !dialect.createsTogether else { return try await look(andSend: items) }
    return try await creating.pass { try await look(andSend: items) }
  }

  private func looks(before items: [Indexed]) -> Bool {
    items.contains { dialect.looks(before: $0.write.write) }
  }

  private func look(andSend items: [Indexed]) async throws -> Ended {
    var ended = Ended()
    var rest: [Indexed] = []
    for (var item, check) in zip(items, try await check(items.map(\.write))) {
      switch check {
      case .ended(let outcome): ended.outcomes.append((item.index, outcome))
      case .holds(let record):
        item.write.seen = record?.version
        rest.append(item)
      }
    }
    if !rest.isEmpty { ended += try await send(checked: rest) }
    return ended
  }

  private func send(checked items: [Indexed], round: Int = 1) async throws -> Ended {
    let writes = items.map(\.write)
    let request = try dialect.writing(writes)
    var recheck: (@Sendable () async throws -> Bool)?
    if looks(before: items) {
      recheck = {
        try await self.check(writes).allSatisfy { if case .holds = $0 { true } else { false } }
      }
    }
    switch try await session.send(record: request, beforeRetry: recheck) {
    case .stopped: return try await settle(items, items.map { _ in .conflict }, afterTrouble: true)
    case .failed(let status, let message):
      guard items.count > 1 else {
        return Ended(outcomes: [(items[0].index, refused(status, message))])
      }
      return try await bisect(items, at: nil)
    case .response(let response, let afterTrouble):
      if response.head.isSuccess {
        return try await outcomes(of: response, items, request, afterTrouble, round)
      }
      if dialect.concernsAll(response), items.count > 1 || !isAnswer(response, to: items[0].write) {
        throw response.status == 403
          ? session.unauthorized(request, response)
          : inWords(session.unexpected(request, response))
      }
      guard items.count == 1 else {
        return try await bisect(items, at: dialect.culprit(of: response, writes))
      }
      let outcome = dialect.outcome(ofRefusal: response, writes[0])
      return try await settle(items, [outcome], afterTrouble: afterTrouble)
    }
  }

  /// Whether a status that may speak of the whole remote is what this one write ends with.
  private func isAnswer(_ response: HTTPResponse, to write: EncodedWrite) -> Bool {
    guard dialect.traits.writesPerRequest == 1 else { return false }
    if case .delete = write.write { return [403, 404, 410].contains(response.status) }
    return response.status == 403
  }

  /// Sends the parts of a request that was refused as a whole, to find whose fault it is.
  private func bisect(_ items: [Indexed], at culprit: Int?) async throws -> Ended {
    var parts: [ArraySlice<Indexed>]
    if let culprit, items.indices.contains(culprit) {
      parts = [items[..<culprit], items[culprit...culprit], items[(culprit + 1)...]]
    } else {
      parts = [items[..<(items.count / 2)], items[(items.count / 2)...]]
    }
    parts.removeAll { $0.isEmpty }
    var ended = Ended()
    for part in parts { ended += try await send(Array(part)) }
    return ended
  }

  private func outcomes(
    of response: HTTPResponse, _ items: [Indexed], _ request: HTTPRequest, _ afterTrouble: Bool,
    _ round: Int
  ) async throws -> Ended {
    guard let found = try dialect.outcomes(of: response, items.map(\.write)),
      found.count == items.count
    else {
      throw session.violation(
        request.url, "an answer that does not say how each of \(items.count) writes ended",
        status: response.status)
    }
    let refused = found.compactMap { outcome in
      if case .refused(let status, let message) = outcome { (status, message) } else { nil }
    }
    // No record is refused for want of credentials by a server that lets us in.
    let isLockedOut = refused.count == found.count && refused.allSatisfy { $0.0 == 403 }
    if let first = refused.first(where: { $0.0 == 401 || isLockedOut && found.count > 1 }) {
      throw SyncError(
        .unauthorized,
        "\(session.url) refused every write with \(first.0) (\(first.1)); nothing is lost, see "
          + "remote.auth", status: first.0)
    }
    var settled: [(Indexed, ItemOutcome)] = []
    var again: [Indexed] = []
    for (item, outcome) in zip(items, found) {
      if case .again = outcome, round < 4 {
        again.append(item)
      } else {
        settled.append((item, outcome))
      }
    }
    var ended = try await settle(
      settled.map(\.0), settled.map(\.1), afterTrouble: afterTrouble || round > 1)
    if !again.isEmpty {
      try await session.clock.sleep(session.clock.delay(afterAttempt: round))
      ended += try await send(checked: again, round: round + 1)
    }
    return ended
  }
}

extension RemoteWrite {
  /// The same, asked of a server that remembers no deletions.
  fileprivate var withoutMemory: RemoteWrite {
    if case .put(let project, let condition) = self, condition.wantsNone {
      .put(project, .absent)
    } else {
      self
    }
  }
}
