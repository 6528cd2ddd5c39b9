import Synchronization

/// What all requests to one remote share: the address, credentials, trouble, and the words for it.
final class RemoteSession: Sendable {
  let options: RemoteOptions
  let transport: any HTTPTransport
  let clock: RemoteClock
  let throttle: HostThrottle
  /// The collection; nil when the URL is none, which every request then says.
  let address: RemoteAddress?
  let misconfigured: SyncError?

  let credentials: CredentialCache
  let headers: HTTPHeaders
  let state: Mutex<State>

  struct State {
    var redaction = Redaction()
    /// When a request last had an answer that was no trouble, by `clock.elapsed`.
    var lastSuccess: Duration?
  }

  init(_ options: RemoteOptions, transport: any HTTPTransport, clock: RemoteClock) {
    (self.options, self.transport, self.clock) = (options, transport, clock)
    throttle = HostThrottle(clock: clock)
    credentials = CredentialCache(options.credentials)
    do {
      address = try RemoteAddress(options.url)
      misconfigured = nil
    } catch {
      (address, misconfigured) = (nil, error)
    }
    var headers = HTTPHeaders()
    headers.add("User-Agent", "syncd/\(syncdVersion)")
    headers.add("Accept", "application/json")
    var redaction = Redaction()
    for (name, value) in options.headers.fields {
      headers[name] = value
      if Self.isSecret(name) { redaction.hide(AuthorizationHeader(name: name, value: value)) }
    }
    self.headers = headers
    state = Mutex(State(redaction: redaction))
  }

  /// The collection's URL, for people.
  var url: String { RemoteAddress.shown(options.url) }

  var redaction: Redaction { state.withLock { $0.redaction } }

  /// - Throws: `SyncError` with `.configuration` when the URL is none.
  func collection() throws(SyncError) -> RemoteAddress {
    guard let address else {
      throw misconfigured ?? SyncError(.configuration, "\(url) is not a URL")
    }
    return address
  }

  /// A request with what every request carries; credentials are added as it is sent.
  func request(
    _ method: HTTPMethod, _ url: String, body: HTTPRequest.Body = .none
  ) -> HTTPRequest {
    HTTPRequest(method, url, headers: headers, body: body)
  }

  /// The grant for a request, where one may be sent at all.
  ///
  /// - Throws: `SyncError` with `.configuration` when credentials would go over plain http.
  func authorize(
    _ request: inout HTTPRequest, _ grant: CredentialCache.Grant?
  ) throws(SyncError) {
    let address = try collection()
    let header = grant?.header
    guard header != nil || options.headers.fields.contains(where: { Self.isSecret($0.name) })
    else { return }
    guard address.isPrivate || options.allowsInsecure else {
      throw SyncError(
        .configuration,
        "\(url) is plain http, over which anyone on the way could read the credentials; use https, "
          + "or set remote.allowInsecure")
    }
    guard request.url.hasPrefix(address.origin) else {
      throw SyncError(
        .protocolViolation,
        "\(RemoteAddress.shown(request.url)) is not on \(address.origin): credentials stay there")
    }
    guard let header else { return }
    state.withLock { $0.redaction.hide(header) }
    request.headers.add(header.name, header.value)
  }

  func noteSuccess() {
    let now = clock.elapsed()
    state.withLock { $0.lastSuccess = now }
  }

  /// Whether some request had an answer since.
  func hasSucceeded(since moment: Duration) -> Bool {
    state.withLock { $0.lastSuccess.map { $0 > moment } ?? false }
  }

  /// Whether a header that the user adds is likely to be a credential.
  private static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["authorization", "cookie", "key", "token", "secret"].contains { name.contains($0) }
  }
}
