import Synchronization

/// A plain REST collection: `GET`, `PUT` and `DELETE` by id, and a JSON list. The least that works.
///
/// Conditions are sent wherever the remote has entity tags. Whether it honours them is probed once;
/// where it does not, a record is read again right before it is written.
public final class RESTRemote: RemoteStore {
  struct State {
    /// What the listing says of versions; nil until an entry was seen.
    var form: ListingForm?
    /// Whether `If-None-Match: *` is honoured.
    var creates: Bool?
    /// Whether `If-Match` is honoured.
    var updates: Bool?
    /// Whether some write is finding that out, or has tried to.
    var isProbed = false
    /// Whether it was looked whether the server is the one that all this was found of.
    var isSameServer = false
  }

  let session: RemoteSession
  let codec: RecordCodec
  let state: Mutex<State>
  /// What stands before and after the id in a record's URL.
  let item: (prefix: String, suffix: String)

  /// - Parameters:
  ///   - url: the collection; a URL that is none is reported by the first request.
  ///   - transport: what sends the requests.
  ///   - authorization: how they are authorized.
  public convenience init(
    url: String, transport: any HTTPTransport, authorization: Authorization = .none
  ) {
    var options = RemoteOptions(url: url)
    options.dialect = .rest
    options.credentials = authorization
    let clock = RemoteClock(ContinuousClock(), random: { .random(in: 0..<1) }, now: nil)
    self.init(RemoteSession(options, transport: transport, clock: clock))
  }

  init(_ session: RemoteSession) {
    self.session = session
    codec = session.codec
    let honours = session.options.honoursConditions
    state = Mutex(State(creates: honours, updates: honours, isProbed: honours != nil))
    item = session.address?.itemParts ?? ("", "")
  }

  public var url: String { session.url }
  public var identity: String { session.identity }
  public var keepsOthers: Bool { codec.keepsOthers }
  public var server: String? { session.server }

  public var clockSkew: ClockSkew? { session.skew }

  public var traffic: HTTPTraffic { session.transport.traffic }

  public var limits: RemoteLimits {
    get async {
      let concurrency = session.options.concurrency
      return RemoteLimits(
        writesPerRequest: 1, fetchesPerRequest: concurrency, bytesPerRequest: 64 << 20,
        concurrency: concurrency)
    }
  }

  public var conditionalWrites: Bool? {
    get async {
      state.withLock { state in
        switch (state.creates, state.updates) {
        case (true, true): true
        case (_, false), (false, nil): false
        default: nil
        }
      }
    }
  }

  public func list(
    since known: CollectionVersion?, receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Listing {
    let summary = try await read(since: nil, inspect: { _ in }, receive: receive)
    return Listing(remoteID: summary.remoteID, dialect: RemoteOptions.Dialect.rest.rawValue)
  }

  public func probe() async throws {
    _ = try await session.probe(query: session.options.query)
  }

  public func closeIdleConnections() { session.transport.closeIdleConnections() }

  func read(
    since known: CollectionVersion?, inspect: @Sendable (HTTPResponseHead) throws -> Void,
    receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> ListingReader.Summary {
    let options = session.options
    let reader = ListingReader(
      session: session, codec: codec, listAt: options.listAt, nextAt: options.nextAt,
      query: options.query)
    return try await reader.read(since: known, inspect: inspect) { entries in
      note(ListingForm(of: entries))
      try await receive(entries)
    }
  }

  private func note(_ form: ListingForm?) {
    guard let form else { return }
    state.withLock { $0.form = max($0.form ?? form, form) }
  }

  /// What the listing says of versions, where an entry was seen.
  var knownForm: ListingForm? { state.withLock { $0.form } }

  /// What the listing says of versions, read from its beginning where no entry was seen yet: an
  /// empty remote says nothing of it before its first record.
  func listingForm() async throws -> ListingForm? {
    struct SeenEnough: Error {}
    if let form = knownForm { return form }
    do {
      _ = try await read(since: nil) { _ in
      } receive: { _ in
        throw SeenEnough()
      }
    } catch is SeenEnough {}
    return knownForm
  }

  func itemURL(_ id: ProjectID) -> String { item.prefix + id.pathSegment + item.suffix }
}

extension RemoteAddress {
  /// What stands before and after an id: the collection's path with one slash at its end, and its
  /// query.
  var itemParts: (prefix: String, suffix: String) {
    var path = path[...]
    while path.last == "/" { path = path.dropLast() }
    return ("\(origin)\(path)/", query.map { "?\($0)" } ?? "")
  }
}
