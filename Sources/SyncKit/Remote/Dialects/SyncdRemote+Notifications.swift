import Synchronization

extension SyncdRemote {
  /// The server has something to say at least every 20 seconds; after so long it is gone.
  private static let silence: Duration = .seconds(60)

  /// The version is told once at the start of every stream, and then after each change: what
  /// happened while nobody followed shows in the first.
  func notifications() async -> AsyncThrowingStream<RemoteNotification, any Error>? {
    guard capabilities.hasEvents else { return nil }
    // The newest stands for those before it.
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          try await self.follow { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Follows the events until that ends, which is always by an error. Nothing is repeated, but for
  /// credentials that were refused and can be asked for afresh.
  private func follow(_ notify: @escaping @Sendable (RemoteNotification) -> Void) async throws {
    var request = session.request(.get, try endpoint("events"))
    request.headers["Accept"] = "text/event-stream"
    request.headers["Accept-Encoding"] = "identity"
    request.responseLimit = .max
    request.idleTimeout = Self.silence
    request.isFollowed = true
    if session.throttle.remaining > .zero {
      throw session.asksToWait(request, session.throttle.remaining)
    }
    let grant = try await session.grant()
    var response = try await exchange(request, grant, notify)
    if response.status == 401 || response.status == 403 {
      guard let renewed = try await session.credentials.grant(after: grant) else {
        throw session.unauthorized(request, response)
      }
      response = try await exchange(request, renewed, notify)
    }
    switch response.status {
    case 200:
      let url = RemoteAddress.shown(request.url)
      throw SyncError(.offline, "\(url): the server ended the events")
    case 408, 425, 429, 500...: throw session.offline(request, .status(response))
    case 300...399: throw session.redirected(request, response)
    case 401, 403: throw session.unauthorized(request, response)
    default: throw session.unexpected(request, response)
    }
  }

  /// - Returns: how it ended: the answer, without the events that it brought.
  private func exchange(
    _ request: HTTPRequest, _ grant: CredentialCache.Grant?,
    _ notify: @Sendable (RemoteNotification) -> Void
  ) async throws -> HTTPResponse {
    var request = request
    try session.authorize(&request, grant)
    let received = Mutex(HTTPResponse(head: HTTPResponseHead(status: 0)))
    let parser = Mutex(EventStreamParser(limit: 64 << 10))
    do {
      try await session.transport.stream(request) { [request] head in
        received.withLock { $0.head = head }
        session.throttle.note(head)
        guard head.status == 200 else { return }
        guard MediaType(head.headers)?.name == "text/event-stream" else {
          throw session.violation(request.url, "answered 200 with something other than events")
        }
        session.noteSuccess()
      } body: { chunk in
        let isEvents = received.withLock { response in
          if response.status == 200 { return true }
          response.body += chunk.prefix(64 << 10 - response.body.count)
          return false
        }
        guard isEvents else { return }
        try parser.withLock { parser in
          try parser.consume(chunk) { event in
            if event.name == "changed" { notify(RemoteNotification(json: event.data)) }
          }
        }
      }
    } catch let error as EventStreamParser.TooLong {
      throw session.violation(request.url, error.description)
    } catch let error as TransportError {
      try Task.checkCancellation()
      switch error.code {
      case .nameNotResolved, .cannotConnect, .connectionLost, .timedOut, .truncatedBody:
        throw session.offline(request, .transport(error))
      default: throw session.violation(request, error)
      }
    }
    return received.withLock { $0 }
  }
}

extension RemoteNotification {
  /// Reads `{"version": "…"}`; that something changed is said by an event that says no more, too.
  fileprivate init(json text: String) {
    let reader = JSONScanner(Array(text.utf8))
    var scanner = reader
    var version: String?
    try? scanner.scanObject { (key, value) throws(JSONError) in
      if reader.string(at: key, equals: "version"), reader.kind(of: value) == .string {
        version = try reader.string(at: value)
      }
    }
    self.init(version: version.map { CollectionVersion($0) })
  }
}
