/// The sentences for what concerns the whole remote.
extension RemoteSession {
  /// What the server said, after its status: `503: down for maintenance`.
  func words(of response: HTTPResponse) -> String {
    let words = ServerWords.of(
      response.body, mediaType: MediaType(response.headers), hiding: redaction)
    return words.isEmpty ? "HTTP \(response.status)" : words
  }

  func words(of error: TransportError) -> String {
    ServerWords.cut(redaction.applied(to: error.message))
  }

  func offline(_ request: HTTPRequest, _ failure: TransientFailure) -> SyncError {
    let url = RemoteAddress.shown(request.url)
    switch failure {
    case .transport(let error):
      return SyncError(
        .offline, "\(url) cannot be reached: \(words(of: error)); nothing is lost, try again later",
        underlying: error)
    case .status(let response):
      return SyncError(
        .offline,
        "\(url) is not available, \(statement(response)); nothing is lost, try again later",
        status: response.status)
    }
  }

  func asksToWait(_ request: HTTPRequest, _ hold: Duration) -> SyncError {
    let (seconds, rest) = hold.components
    let now = clock.now().microseconds / 1_000_000
    let end = Timestamp(microseconds: (now + seconds + (rest > 0 ? 1 : 0)) * 1_000_000)
    let shown = end.description.prefix(19)
    return SyncError(
      .offline,
      "\(RemoteAddress.shown(request.url)): the server asks to wait until \(shown)Z; nothing is "
        + "lost, try again then")
  }

  func unauthorized(_ request: HTTPRequest, _ response: HTTPResponse) -> SyncError {
    SyncError(
      .unauthorized,
      "\(RemoteAddress.shown(request.url)) refused the credentials, \(statement(response)); nothing "
        + "is lost, see remote.auth", status: response.status)
  }

  func redirected(_ request: HTTPRequest, _ response: HTTPResponse) -> SyncError {
    let target = response.headers["Location"].map { location in
      let base = try? RemoteAddress(request.url)
      return base?.resolving(location)?.shown ?? RemoteAddress.shown(location)
    }
    return SyncError(
      .protocolViolation,
      "\(RemoteAddress.shown(request.url)) answered \(response.status) and points to "
        + "\(redaction.applied(to: target ?? "nowhere")), which is not followed; if that is the "
        + "right place, set remote.url to it", status: response.status)
  }

  /// A status that a collection does not answer with.
  func unexpected(_ request: HTTPRequest, _ response: HTTPResponse) -> SyncError {
    SyncError(
      .protocolViolation,
      "\(RemoteAddress.shown(request.url)) answered \(statement(response)): a wrong address, or a "
        + "proxy speaking; see remote.url", status: response.status)
  }

  /// An answer that has the right status and is not what it should be.
  func violation(_ url: String, _ what: String, status: Int? = nil) -> SyncError {
    SyncError(
      .protocolViolation,
      "\(RemoteAddress.shown(url)): \(redaction.applied(to: what))",
      status: status)
  }

  func violation(_ request: HTTPRequest, _ error: TransportError) -> SyncError {
    let url = RemoteAddress.shown(request.url)
    switch error.code {
    case .invalidRequest:
      return SyncError(
        .configuration, "\(url) cannot be asked: \(words(of: error))", underlying: error)
    case .untrusted:
      return SyncError(
        .protocolViolation,
        "\(url) is not trusted: \(words(of: error)); see remote.tls, and do not go on without it",
        underlying: error)
    default:
      let hasBegun = error.code != .malformedResponse || error.bytesReceived > 0
      return SyncError(
        .protocolViolation,
        "\(url): \(words(of: error))"
          + (hasBegun ? ", after \(error.bytesReceived) bytes of the body were read" : ""),
        underlying: error)
    }
  }

  private func statement(_ response: HTTPResponse) -> String {
    let words = ServerWords.of(
      response.body, mediaType: MediaType(response.headers), hiding: redaction)
    return words.isEmpty ? "\(response.status)" : "\(response.status) (\(words))"
  }
}
