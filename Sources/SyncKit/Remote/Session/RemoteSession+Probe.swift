import Synchronization

extension RemoteSession {
  /// Asks for the collection once, and reads no more of the answer than shows what it is: a status,
  /// the credentials taken, and the beginning of a JSON text.
  ///
  /// Nothing is repeated, but for credentials that were refused and can be asked for afresh.
  /// - Parameters:
  ///   - query: added to the collection's URL.
  ///   - whole: whether the answer is short enough to be read to its end, which keeps the
  ///     connection.
  /// - Throws: `SyncError` as a listing would; `CancellationError`.
  func probe(query: String?, whole: Bool = false) async throws -> HTTPResponseHead {
    try await probe(request(.get, try collection().adding(query: query).text), whole: whole)
  }

  /// The same by another request.
  ///
  /// - Parameter syntax: what the answer is written in.
  @discardableResult
  func probe(
    _ request: HTTPRequest, whole: Bool = false, _ syntax: ListingSyntax = .json(at: [])
  ) async throws -> HTTPResponseHead {
    if throttle.remaining > .zero { throw asksToWait(request, throttle.remaining) }
    let grant = try await self.grant()
    var response = try await probe(request, grant, whole: whole)
    if response.status == 401 || response.status == 403 {
      guard let renewed = try await credentials.grant(after: grant) else {
        throw unauthorized(request, response)
      }
      response = try await probe(request, renewed, whole: whole)
    }
    try check(response, of: request, syntax)
    noteSuccess()
    return response.head
  }

  /// One exchange; of a body that is not whole, only the beginning comes back.
  private func probe(
    _ request: HTTPRequest, _ grant: CredentialCache.Grant?, whole: Bool
  ) async throws -> HTTPResponse {
    struct SeenEnough: Error {}
    var request = request
    try authorize(&request, grant)
    let received = Mutex(HTTPResponse(head: HTTPResponseHead(status: 0)))
    do {
      try await transport.stream(request) { head in
        received.withLock { $0.head = head }
      } body: { chunk in
        let isEnough = received.withLock { response in
          response.body += chunk.prefix(64 << 10 - response.body.count)
          guard response.head.isSuccess, !whole else { return response.body.count >= 64 << 10 }
          return response.body.contains { !isJSONSpace($0) }
        }
        if isEnough { throw SeenEnough() }
      }
    } catch is SeenEnough {
    } catch let error as TransportError {
      try Task.checkCancellation()
      switch error.code {
      case .nameNotResolved, .cannotConnect, .connectionLost, .timedOut, .truncatedBody:
        throw offline(request, .transport(error))
      default: throw violation(request, error)
      }
    }
    let response = received.withLock { $0 }
    throttle.note(response.head)
    return response
  }

  private func check(
    _ response: HTTPResponse, of request: HTTPRequest, _ syntax: ListingSyntax
  ) throws {
    switch response.status {
    case let status where syntax.accepts(status): break
    case 408, 425, 429, 500...: throw offline(request, .status(response))
    case 300...399: throw redirected(request, response)
    case 401, 403: throw unauthorized(request, response)
    default: throw unexpected(request, response)
    }
    let beginning = response.body.first { !isJSONSpace($0) }
    let type = MediaType(response.headers)
    let isExpected = beginning.map(syntax.begins) ?? false
    guard isExpected, type.map(syntax.accepts) ?? true else {
      throw violation(
        request.url,
        "answered \(response.status) with \(type.map { ServerWords.cut($0.name) } ?? "something"), "
          + "not a list of records in \(syntax.name): a wrong address, or a proxy speaking",
        status: response.status)
    }
  }
}
