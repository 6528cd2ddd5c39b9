import Synchronization

/// What all requests to one remote share: the address, credentials, trouble, and the words for it.
final class RemoteSession: Sendable {
  let options: RemoteOptions
  let transport: any HTTPTransport
  let clock: RemoteClock
  let throttle: HostThrottle
  /// Lets as many requests out at once as the options say, whoever sends them.
  let turns: Turnstile
  /// The collection; nil when the URL is none, which every request then says.
  let address: RemoteAddress?
  let misconfigured: SyncError?
  /// Records as the options say that the remote spells them.
  let codec: RecordCodec

  let credentials: CredentialCache
  let headers: HTTPHeaders
  let state: Mutex<State>

  /// Whether headers that the user adds hold a credential.
  private let hasSecretHeaders: Bool

  struct State {
    var redaction = Redaction()
    /// The grant whose secrets are hidden already.
    var hiddenGeneration = 0
    /// When a request last had an answer that was no trouble, by `clock.elapsed`.
    var lastSuccess: Duration?
    var skew: ClockSkew?
    /// What the server called itself last.
    var server: String?
  }

  init(_ options: RemoteOptions, transport: any HTTPTransport, clock: RemoteClock) {
    (self.options, self.transport, self.clock) = (options, transport, clock)
    throttle = HostThrottle(clock: clock)
    turns = Turnstile(width: options.concurrency)
    credentials = CredentialCache(options.credentials)
    var fault: SyncError?
    do {
      codec = try RecordCodec(fields: options.fields)
    } catch {
      codec = .standard
      fault = SyncError(.configuration, "remote.fields: \(error.reason)")
    }
    do {
      address = try RemoteAddress(options.url)
    } catch {
      (address, fault) = (nil, error)
    }
    misconfigured = fault
    var headers = HTTPHeaders()
    headers.add("User-Agent", "syncd/\(syncdVersion)")
    headers.add("Accept", "application/json")
    var redaction = Redaction()
    for (name, value) in options.headers.fields {
      headers[name] = value
      redaction.hide(header: name, value)
    }
    self.headers = headers
    hasSecretHeaders = options.headers.fields.contains(where: Redaction.hides)
    state = Mutex(State(redaction: redaction))
  }

  /// The collection's URL, for people.
  var url: String { RemoteAddress.shown(options.url) }

  var identity: String { RemoteIdentity.text(of: options.url) }

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

  /// What to send requests with.
  func grant() async throws -> CredentialCache.Grant? {
    if let grant = credentials.current { return grant }
    return try await credentials.grant()
  }

  /// Adds the grant to a request, where credentials may go there at all.
  ///
  /// - Throws: `SyncError` with `.configuration` when credentials would go over plain http.
  func authorize(
    _ request: inout HTTPRequest, _ grant: CredentialCache.Grant?
  ) throws(SyncError) {
    let address = try collection()
    let header = grant?.header
    guard header != nil || hasSecretHeaders else { return }
    guard address.isPrivate || options.allowsInsecure else {
      throw SyncError(
        .configuration,
        "\(url) is plain http, over which anyone on the way could read the credentials; use https, "
          + "or set remote.allowInsecure")
    }
    guard request.url.utf8.starts(with: address.origin.utf8) else {
      throw SyncError(
        .protocolViolation,
        "\(RemoteAddress.shown(request.url)) is not on \(address.origin): credentials stay there")
    }
    guard let header, let grant else { return }
    state.withLock { state in
      guard state.hiddenGeneration != grant.generation else { return }
      state.hiddenGeneration = grant.generation
      state.redaction.hide(header)
    }
    request.headers.add(header.name, header.value)
  }

  /// How far the server's clock is ahead, as far as its responses have said.
  var skew: ClockSkew? { state.withLock { $0.skew } }

  /// What the server calls itself, as far as its responses have said. RFC 9110, 10.2.4.
  var server: String? { state.withLock { $0.server } }

  /// Takes note of what a response says of its server: which it is, and when the response was made. One
  /// that a cache kept is older than that.
  func noteServer(of head: HTTPResponseHead, sent: Timestamp) {
    if head.isSuccess, let server = head.headers["Server"] {
      state.withLock { $0.server = server }
    }
    guard head.headers["Age"] == nil, let date = head.headers["Date"],
      let date = Timestamp(httpDate: date),
      let skew = ClockSkew(date: date, sent: sent, received: clock.now())
    else { return }
    state.withLock { state in
      if state.skew == nil { state.skew = skew } else { state.skew?.narrow(by: skew) }
    }
  }

  func noteSuccess() {
    let now = clock.elapsed()
    state.withLock { $0.lastSuccess = now }
  }

  /// Whether some request had an answer since.
  func hasSucceeded(since moment: Duration) -> Bool {
    state.withLock { $0.lastSuccess.map { $0 > moment } ?? false }
  }
}
