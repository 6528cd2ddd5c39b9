import Synchronization

/// Thrown from a response's head to leave its body unread.
struct HeadIsEnough: Error {
  var head: HTTPResponseHead
}

extension RemoteSession {
  /// Sends a request for one record.
  ///
  /// - Returns: any response but trouble and refused credentials.
  func send(
    record request: HTTPRequest, beforeRetry: (@Sendable () async throws -> Bool)? = nil
  ) async throws -> Answer {
    try await answer(request, .record, beforeRetry: beforeRetry) { request in
      try await transport.send(request)
    }
  }

  /// Sends a request to the collection; what is not 2xx, and not among `accepting`, is thrown.
  func send(
    collection request: HTTPRequest, accepting: Set<Int> = []
  ) async throws -> HTTPResponse {
    try await sendRepeated(collection: request, accepting: accepting).response
  }

  /// The same; says too whether an earlier attempt may have been carried out, its answer lost.
  func sendRepeated(
    collection request: HTTPRequest, accepting: Set<Int> = []
  ) async throws -> (response: HTTPResponse, afterTrouble: Bool) {
    let answer = try await answer(request, .collection) { request in
      try await transport.send(request)
    }
    guard case .response(let response, let afterTrouble) = answer else {
      throw CancellationError()
    }
    guard response.head.isSuccess || accepting.contains(response.status) else {
      throw unexpected(request, response)
    }
    return (response, afterTrouble)
  }

  /// Reads a response of the collection as it comes.
  ///
  /// - Parameters:
  ///   - begin: called with the head of a response that is 2xx or 304, once for each attempt.
  ///   - take: called with the chunks of a 2xx body.
  /// - Throws: `SyncError` for any other response; what `begin` and `take` throw.
  func stream(
    collection request: HTTPRequest,
    begin: @Sendable (HTTPResponseHead) async throws -> Void,
    take: @Sendable ([UInt8]) async throws -> Void
  ) async throws -> HTTPResponseHead {
    let answer = try await answer(request, .collection) { request in
      let received = Mutex((head: HTTPResponseHead(status: 0), words: [UInt8]()))
      try await transport.stream(request) { head in
        received.withLock { $0.head = head }
        if head.isSuccess || head.status == 304 { try await begin(head) }
      } body: { chunk in
        let isSuccess = received.withLock { received in
          if received.head.isSuccess { return true }
          received.words.append(contentsOf: chunk.prefix(64 << 10 - received.words.count))
          return false
        }
        if isSuccess { try await take(chunk) }
      }
      return received.withLock { HTTPResponse(head: $0.head, body: $0.words) }
    }
    guard case .response(let response, _) = answer else { throw CancellationError() }
    guard response.head.isSuccess || response.status == 304 else {
      throw unexpected(request, response)
    }
    return response.head
  }

  /// Whether the collection answers at all: one request, and no more of it than its head.
  func peek() async throws -> Bool {
    var request = request(.get, try collection().adding(query: options.query).text)
    try authorize(&request, try await credentials.grant())
    do {
      try await transport.stream(request) { head in
        throw HeadIsEnough(head: head)
      } body: { _ in
      }
    } catch let stop as HeadIsEnough {
      return stop.head.status < 500 && stop.head.status != 429
    } catch is TransportError {
      try Task.checkCancellation()
    }
    return false
  }
}
