/// A remote collection of projects: the role every dialect plays.
///
/// What every implementation promises, and the contract suite checks:
/// - `list` hands over every record exactly as often as the remote names it, and returns only when
///   the listing is proven complete; whatever else happens throws, and nothing may be concluded.
/// - A write that returns `stored` or `deleted` has been acknowledged by the remote.
/// - A record that the remote refuses is an outcome, never a thrown error; what concerns the whole
///   remote (offline, credentials, protocol) is thrown as `SyncError`.
/// - Transient trouble is retried inside, within the limits the remote was made with; a write is
///   repeated only because it is idempotent. One id has at most one request in flight.
/// - Cancelling stops the request under way and throws `CancellationError`.
public protocol RemoteStore: Sendable {
  /// Where the collection is, for people: without what may be secret.
  var url: String { get }

  /// What tells this collection from every other one, for the base; none of its secrets.
  var identity: String { get }

  /// Reads every record's id, stamp and version.
  ///
  /// - Parameters:
  ///   - known: the collection's version when both sides were last known to be equal. A remote
  ///     that still has it answers `unchanged` and hands over nothing.
  ///   - receive: called with the entries in the order they come, a few hundred at a time.
  func list(
    since known: CollectionVersion?, receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Listing

  /// Reads what changed since a version of the collection, deletions included: complete as of the
  /// version that is returned.
  ///
  /// - Parameters:
  ///   - known: the collection's version when both sides were last known to be equal.
  ///   - receive: called with the changes in the order they come. An id may come again; the last
  ///     change of it counts.
  /// - Returns: nil where the remote cannot tell, or not any more, or was put back to a state from
  ///   before that version. What was handed over until then is void, and `list` says how it is.
  func changes(
    since known: CollectionVersion, receive: @Sendable ([RemoteChange]) async throws -> Void
  ) async throws -> Listing?

  /// Whether `compare` is worth asking: the remote offers it, or has not said yet what it does.
  var mayCompare: Bool { get async }

  /// Asks how ranges of the collection are, compared with what is known of them here: fingerprints
  /// over ids and versions, keyed by the remote's id.
  ///
  /// - Parameters:
  ///   - question: at least one range.
  ///   - known: the collection's version when both sides were last known to be equal.
  /// - Returns: the answer, and what a listing would say beside its entries; nil where there is none.
  func compare(
    _ question: RangeQuestion, since known: CollectionVersion?
  ) async throws -> (listing: Listing, answer: RangeAnswer)?

  /// Reads some records. The result has one answer for each id, in the order of `ids`.
  func fetch(_ ids: [ProjectID]) async throws -> [FetchOutcome]

  /// Carries out writes, each on its own; at most `limits.writesPerRequest` of them, with distinct
  /// ids. The result has one outcome for each, in their order.
  func write(_ writes: [RemoteWrite]) async throws -> WriteResult

  /// Asks whether the remote itself can be reached and takes our credentials: one cheap request,
  /// never repeated.
  ///
  /// - Throws: `SyncError` as `list` would. Whoever else answers (a proxy, a login page) is not the
  ///   remote.
  func probe() async throws

  /// Follows what changes on the remote, by whomever, as the remote tells it. The first element
  /// comes at once and says how it is now, so that nothing is missed between a listing and this.
  /// The stream throws when the connection is lost.
  ///
  /// - Returns: nil where the remote offers none, or has not said yet that it does.
  func notifications() async -> AsyncThrowingStream<RemoteNotification, any Error>?

  /// Closes connections that lie idle, so that the next request opens a fresh one: after a suspend,
  /// or on another network, they may be dead without knowing.
  func closeIdleConnections()

  /// What has crossed the wire so far.
  var traffic: HTTPTraffic { get }

  /// What one call may carry.
  var limits: RemoteLimits { get async }

  /// Whether the remote honours conditions on writes, as far as is known: nil until a write has
  /// shown it. Worth keeping, and handing back as `RemoteOptions.honoursConditions`, with the `server`: what is not
  /// known is probed once, at the cost of a request or two.
  var conditionalWrites: Bool? { get async }

  /// What the server calls itself, with its version, as far as it has said. Where that changes, what was
  /// found out by trying is tried anew.
  var server: String? { get async }

  /// Whether the remote may keep more of a record than its fields and `extra`, which goes with a
  /// deletion: a copy is made of it then even where the fields are known.
  var keepsOthers: Bool { get async }

  /// What is known of what the remote can do, in words for people; may take a request to find out.
  func facts() async throws -> [String]

  /// How far the remote's clock is ahead of this machine's, as far as its responses have said.
  var clockSkew: ClockSkew? { get }
}

extension RemoteStore {
  /// Most remotes are told apart by what people see.
  public var identity: String { url }

  /// Most remotes compare nothing.
  public var mayCompare: Bool { get async { false } }

  public func compare(
    _ question: RangeQuestion, since known: CollectionVersion?
  ) async throws -> (listing: Listing, answer: RangeAnswer)? { nil }

  /// Most remotes have only their listing.
  public func changes(
    since known: CollectionVersion, receive: @Sendable ([RemoteChange]) async throws -> Void
  ) async throws -> Listing? { nil }

  /// What can be said of every remote.
  public func facts() async throws -> [String] {
    guard let honoured = await conditionalWrites else { return [] }
    return [honoured ? "conditions on writes are honoured" : "conditions on writes are ignored"]
  }

  /// A remote without a server.
  public var server: String? { get async { nil } }

  /// Most remotes hold whole records and nothing else.
  public var keepsOthers: Bool { get async { false } }

  /// A remote that says no time.
  public var clockSkew: ClockSkew? { nil }

  /// A remote that crosses no wire.
  public var traffic: HTTPTraffic { HTTPTraffic() }

  /// Asks for the listing, and for no more than its beginning.
  public func probe() async throws {
    do {
      _ = try await list(since: nil) { _ in throw BeginningIsEnough() }
    } catch is BeginningIsEnough {}
  }

  /// Most remotes say nothing by themselves.
  public func notifications() async -> AsyncThrowingStream<RemoteNotification, any Error>? { nil }

  /// A remote without connections has nothing to close.
  public func closeIdleConnections() {}
}

private struct BeginningIsEnough: Error {}

/// Something changed on the remote.
public struct RemoteNotification: Sendable, Equatable {
  /// The collection's version since then, where the remote says it.
  public var version: CollectionVersion?

  public init(version: CollectionVersion? = nil) {
    self.version = version
  }
}

/// What a complete listing, or the changes since one, say beside their entries.
public struct Listing: Sendable, Equatable {
  /// Whether the collection still has the version that was asked about; nothing was handed over.
  public var isUnchanged: Bool
  /// Whether only changes were handed over: what they do not name is as it was.
  public var isPartial = false
  /// The collection's version as of the listing, where the remote has one.
  public var version: CollectionVersion?
  /// The remote's own id, where it says one; the base belongs to it.
  public var remoteID: String?
  /// The dialect that was spoken: `rest`, `syncd`.
  public var dialect: String
  /// Whether the remote was put back to a state from before the version that was asked about: what
  /// it lacks was not deleted, and what it has may be older than what it had.
  public var isRolledBack = false

  public init(
    isUnchanged: Bool = false, version: CollectionVersion? = nil, remoteID: String? = nil,
    dialect: String
  ) {
    self.isUnchanged = isUnchanged
    self.version = version
    self.remoteID = remoteID
    self.dialect = dialect
  }
}

/// What one call of `write` and `fetch` may carry.
public struct RemoteLimits: Sendable, Equatable {
  public var writesPerRequest: Int
  public var fetchesPerRequest: Int
  /// The most bytes of contents in one request.
  public var bytesPerRequest: Int
  /// Requests worth having under way at once.
  public var concurrency: Int

  public init(
    writesPerRequest: Int, fetchesPerRequest: Int, bytesPerRequest: Int, concurrency: Int
  ) {
    self.writesPerRequest = writesPerRequest
    self.fetchesPerRequest = fetchesPerRequest
    self.bytesPerRequest = bytesPerRequest
    self.concurrency = concurrency
  }
}

/// What a remote holds under one id.
public enum FetchOutcome: Sendable, Equatable {
  case record(RemoteRecord)
  case absent
  /// There is a record, but it cannot be taken over.
  case unreadable(UnreadableRecord)
  /// The remote would not say; its status and words.
  case refused(status: Int, message: String)
}

/// What a write supposes of the record it replaces or removes.
public enum WriteCondition: Sendable, Equatable {
  /// There is none: `If-None-Match: *`.
  case absent
  /// There is none, and it was not this very version that was there and was deleted since: an upload
  /// whose acknowledgement was lost does not undo the deletion that followed it. Where the remote does
  /// not remember deletions, or has not said yet that it does, the same as `absent`.
  case new
  /// There is none, and neither this version nor a later one was there and was deleted since. Both sides
  /// agreed on it once, and the remote, which went back to an older state, lacks it. Else as `new`.
  case lost
  /// It is this one: `If-Match`, or a look right before the write where the remote has no ETags.
  case matches(RemoteDigest)
}

extension WriteCondition {
  /// Whether there is to be no record.
  package var wantsNone: Bool { if case .matches = self { false } else { true } }
}

/// One write.
public enum RemoteWrite: Sendable, Equatable {
  case put(Project, WriteCondition)
  case delete(ProjectID, WriteCondition)

  public var id: ProjectID {
    switch self {
    case .put(let project, _): project.id
    case .delete(let id, _): id
    }
  }
}

/// How one write ended.
public enum WriteOutcome: Sendable, Equatable {
  /// The remote has the record, under this version and stamp, as a listing would name them.
  case stored(RemoteDigest)
  /// The remote has the record, but not with the contents that were sent: a server that trims or fills
  /// in. It is this version that both sides agree on, and nothing here is a copy of it.
  case altered(RemoteDigest)
  /// The remote does not have the record, by this write or from before.
  case deleted
  /// The condition did not hold; nothing was written.
  case preconditionFailed
  /// The remote had this version, or for `lost` a later one, and it was deleted since; nothing was written. The version names
  /// the deletion, and no record will ever have it.
  case deletedSince(Version)
  /// The remote refused this record; its status and words. 0 where there was no response.
  case refused(status: Int, message: String)
}

extension WriteOutcome {
  /// What the remote holds by this write.
  package var held: RemoteDigest? {
    switch self {
    case .stored(let digest), .altered(let digest): digest
    default: nil
    }
  }
}

/// How a batch of writes ended.
public struct WriteResult: Sendable, Equatable {
  public var outcomes: [WriteOutcome]
  /// The collection's version once the last of them was carried out, where the remote says it.
  public var version: CollectionVersion?
  /// The collection's version right before the first of them. Nobody else wrote in between exactly
  /// when it is the version last seen.
  public var previous: CollectionVersion?

  public init(
    outcomes: [WriteOutcome], version: CollectionVersion? = nil,
    previous: CollectionVersion? = nil
  ) {
    self.outcomes = outcomes
    self.version = version
    self.previous = previous
  }
}
