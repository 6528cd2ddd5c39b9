import Synchronization

/// A remote that `syncd serve` keeps: digests, batches, and a version of the whole collection.
final class SyncdRemote: RemoteStore {
  /// Digests asked for in one page.
  static let pageSize = 10_000

  let session: RemoteSession
  let decoder = RecordDecoder(fields: .standard)
  let encoder = RecordEncoder(fields: .standard)
  /// What is known of the remote; nil until it answered.
  private let announced = Mutex(Capabilities?.none)

  init(_ session: RemoteSession) {
    self.session = session
  }

  var url: String { session.url }
  var identity: String { session.identity }
  var server: String? { session.server }

  /// Whether it is known what the remote offers.
  var hasAnswered: Bool { announced.withLock { $0 != nil } }

  /// Whether changes are worth asking for: the remote offers them, or has not said yet what it does.
  var mayHaveChanges: Bool { announced.withLock { $0?.hasChanges ?? true } }

  var capabilities: Capabilities { announced.withLock { $0 } ?? Capabilities() }

  var clockSkew: ClockSkew? { session.skew }

  var traffic: HTTPTraffic { session.transport.traffic }

  var limits: RemoteLimits {
    get async {
      let capabilities = capabilities
      return RemoteLimits(
        writesPerRequest: capabilities.batch, fetchesPerRequest: capabilities.fetch,
        bytesPerRequest: capabilities.bytes, concurrency: session.options.concurrency)
    }
  }

  var conditionalWrites: Bool? {
    get async { true }
  }

  func list(
    since known: CollectionVersion?, receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Listing {
    let digests = "fields=id,updatedAt,etag&limit=\(Self.pageSize)"
    var reader = ListingReader(session: session, codec: .standard)
    reader.query = session.options.query.map { "\(digests)&\($0)" } ?? digests
    reader.endsByLink = true
    let first = Mutex(HTTPResponseHead(status: 0))
    let summary = try await reader.read(since: known) { head in
      try note(head)
      first.withLock { $0 = head }
    } receive: { entries in
      try await receive(entries)
    }
    let head = first.withLock { $0 }
    if summary.isUnchanged { return unchanged(head) }
    var listing = Listing(
      version: summary.version, remoteID: summary.remoteID,
      dialect: RemoteOptions.Dialect.syncd.rawValue)
    listing.isRolledBack = head.headers["Syncd-Rolled-Back"] != nil
    return listing
  }

  func probe() async throws {
    try note(try await session.probe(query: probeQuery, whole: true))
  }

  private var probeQuery: String {
    let digest = "fields=id,updatedAt,etag&limit=1"
    return session.options.query.map { "\(digest)&\($0)" } ?? digest
  }

  func closeIdleConnections() { session.transport.closeIdleConnections() }

  /// The listing that a 304 stands for.
  func unchanged(_ head: HTTPResponseHead) -> Listing {
    Listing(
      isUnchanged: true, version: head.headers["ETag"].map { CollectionVersion($0) },
      remoteID: head.headers["Syncd-Remote-ID"], dialect: RemoteOptions.Dialect.syncd.rawValue)
  }

  /// Takes note of what the remote announces.
  ///
  /// - Throws: `SyncError` with `.protocolViolation` where it is not a `syncd` remote.
  func note(_ head: HTTPResponseHead) throws {
    guard let capabilities = Capabilities(head.headers) else {
      throw session.violation(
        url,
        "this is not a syncd remote that this version can speak to; set remote.dialect to "
          + "auto or rest")
    }
    announced.withLock { $0 = capabilities }
  }

  /// The URL of one of the collection's operations.
  func endpoint(_ name: String) throws -> String {
    let parts = try session.collection().itemParts
    return parts.prefix + name + parts.suffix
  }
}
