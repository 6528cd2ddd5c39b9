import Synchronization

/// Finds out by the first answer whether the remote speaks `syncd`, or another dialect that shows in
/// the head of an answer, and goes on in that dialect.
final class AutoRemote: RemoteStore {
  let session: RemoteSession
  private let rest: RESTRemote
  private let syncd: SyncdRemote
  private let spoken = Mutex((any RemoteStore)?.none)

  init(_ session: RemoteSession) {
    self.session = session
    rest = RESTRemote(session)
    syncd = SyncdRemote(session)
  }

  var url: String { session.url }
  var identity: String { session.identity }

  private var known: (any RemoteStore)? { spoken.withLock { $0 } }

  var clockSkew: ClockSkew? { session.skew }

  var traffic: HTTPTraffic { rest.traffic }

  var limits: RemoteLimits {
    get async { await (known ?? rest).limits }
  }

  var server: String? { session.server }

  var keepsOthers: Bool {
    get async { await (known ?? rest).keepsOthers }
  }

  var conditionalWrites: Bool? {
    get async { await known?.conditionalWrites }
  }

  func list(
    since version: CollectionVersion?, receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Listing {
    if let known { return try await known.list(since: version, receive: receive) }
    do {
      let summary = try await rest.read(since: version) { head in
        if Self.isTelling(head) { throw HeadIsEnough(head: head) }
      } receive: { entries in
        try await receive(entries)
      }
      spoken.withLock { $0 = rest }
      // A version is known of a syncd remote only, and this one is none: nothing follows from it.
      if summary.isUnchanged { return try await rest.list(since: nil, receive: receive) }
      return Listing(remoteID: summary.remoteID, dialect: RemoteOptions.Dialect.rest.rawValue)
    } catch let stop as HeadIsEnough {
      let remote = try learn(stop.head)
      if stop.head.status == 304, remote is SyncdRemote { return syncd.unchanged(stop.head) }
      return try await remote.list(since: version, receive: receive)
    }
  }

  /// A version is known of a `syncd` remote only. Should another one answer there, the listing finds
  /// out.
  func changes(
    since version: CollectionVersion, receive: @Sendable ([RemoteChange]) async throws -> Void
  ) async throws -> Listing? {
    if let known { return try await known.changes(since: version, receive: receive) }
    let listing = try await syncd.changes(since: version, receive: receive)
    if listing != nil { spoken.withLock { $0 = syncd } }
    return listing
  }

  var mayCompare: Bool {
    get async { await known?.mayCompare ?? true }
  }

  /// Only a `syncd` remote is ever asked: the key of the fingerprints is its id.
  func compare(
    _ question: RangeQuestion, since version: CollectionVersion?
  ) async throws -> (listing: Listing, answer: RangeAnswer)? {
    if let known { return try await known.compare(question, since: version) }
    let answer = try await syncd.compare(question, since: version)
    if answer != nil { spoken.withLock { $0 = syncd } }
    return answer
  }

  func fetch(_ ids: [ProjectID]) async throws -> [FetchOutcome] {
    try await dialect().fetch(ids)
  }

  func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    try await dialect().write(writes)
  }

  func probe() async throws {
    if let known { return try await known.probe() }
    try learn(try await session.probe(query: session.options.query))
  }

  func facts() async throws -> [String] { try await dialect().facts() }

  func notifications() async -> AsyncThrowingStream<RemoteNotification, any Error>? {
    await known?.notifications()
  }

  func closeIdleConnections() { session.transport.closeIdleConnections() }

  /// The dialect, asked for where nothing was listed yet.
  private func dialect() async throws -> any RemoteStore {
    if let known { return known }
    do {
      _ = try await rest.read(since: nil) {
        throw HeadIsEnough(head: $0)
      } receive: { _ in
      }
    } catch let stop as HeadIsEnough {
      return try learn(stop.head)
    }
    return known ?? rest
  }

  private static func isTelling(_ head: HTTPResponseHead) -> Bool {
    Capabilities(head.headers) != nil || dialects.contains { $0.recognises(head) }
  }

  @discardableResult
  private func learn(_ head: HTTPResponseHead) throws -> any RemoteStore {
    let remote: any RemoteStore
    if Capabilities(head.headers) != nil {
      try syncd.note(head)
      remote = syncd
    } else if let type = dialects.first(where: { $0.recognises(head) }) {
      remote = try type.remote(session)
    } else {
      remote = rest
    }
    spoken.withLock { $0 = remote }
    return remote
  }
}
