public import SyncKit
import Synchronization

/// A remote in memory that works, and that can be broken on purpose.
///
/// It keeps every promise of `RemoteStore` until `behaviour` or `fault` says otherwise. Whatever
/// happens to it is in `log`; `put` and `remove` are what another device would have done, and are
/// not logged.
public final class MemoryRemote: RemoteStore {
  /// How this remote spells and keeps things; may be changed between requests.
  public struct Behaviour: Sendable {
    /// What becomes of a record's stamp when it is stored.
    public enum Stamps: Sendable {
      case kept
      /// Cut to a multiple of so many microseconds.
      case truncated(Int64)
      /// Replaced by the server's own time.
      case set(@Sendable () -> Timestamp)
    }

    public var stamps = Stamps.kept
    /// Whether versions are ETags; without them a record's version is its stamp.
    public var hasETags = true
    /// Whether the listing carries whole records.
    public var listsRecords = false
    /// Whether what is listed tells the stamps; else the contents alone do.
    public var tellsStamps = true
    public var honoursConditions = true
    /// Whether deletions are remembered by the version that was deleted.
    public var remembersDeletions = false
    /// Whether it tells what changed since a version of the collection. A look at the changes is
    /// logged, and can fail, as a look at the listing.
    public var hasChanges = false
    /// Whether it compares ranges; logged as a look at the listing.
    public var hasComparison = false
    /// Whether it answers to a comparison that it offers.
    public var answersComparison = true
    /// Whether the collection has a version, and a listing may be answered `unchanged`.
    public var hasCollectionVersion = true
    public var dialect = "memory"
    public var remoteID: String? = "memory-1"
    public var limits = RemoteLimits(
      writesPerRequest: 1, fetchesPerRequest: 100, bytesPerRequest: 1 << 20, concurrency: 8)
    /// Entries handed over at once.
    public var listingBatch = 100
    /// Ids that the listing leaves out although they are there.
    public var hidden: Set<ProjectID> = []
    /// Ids that are not found when they are asked for although they are there.
    public var unfound: Set<ProjectID> = []
    /// What the remote makes of a record before it stores it.
    public var alters: (@Sendable (inout Project) -> Void)?
    /// Entries that the listing adds at its end.
    public var added: [ListedRecord] = []
    /// Whether the remote tells its followers of changes.
    public var tellsChanges = false
    /// The listing is cut after so many entries, and throws.
    public var listingCutAfter: Int?

    public init() {}
  }

  struct State {
    var records: [ProjectID: RemoteRecord] = [:]
    var revision = 0
    /// How often it was put back, and the versions of the collection that are in its past.
    var era = 0
    var past: Set<String> = []
    /// The revision of each record's last change, deletions included; those up to `forgotten` are not
    /// all there.
    var changed: [ProjectID: Int] = [:]
    /// What was deleted last under an id.
    var deleted: [ProjectID: Project] = [:]
    var forgotten = 0
    /// How often changes were told, rather than a whole listing.
    var toldChanges = 0
    var toldRanges = 0
    var log: [MemoryRequest] = []
    var behaviour = Behaviour()
    var fault: (@Sendable (MemoryRequest, Int) -> MemoryFault?)?
    var pause: (@Sendable (MemoryRequest) async throws -> Void)?
    var followers: [Int: Followed.Continuation] = [:]
    var lastFollower = 0
    var freshConnections = 0

    mutating func announce() {
      if let collectionVersion { past.insert(collectionVersion.raw) }
      let notification = RemoteNotification(version: collectionVersion)
      for follower in followers.values { follower.yield(notification) }
    }
  }

  typealias Followed = AsyncThrowingStream<RemoteNotification, any Error>

  public let url: String
  let state = Mutex(State())

  public init(url: String = "memory://projects", projects: [Project] = []) {
    self.url = url
    for project in projects { put(project) }
  }

  public var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  /// Asked before every request with its number, from 1: what goes wrong with it.
  ///
  /// A call of `write` asks once for each of its writes; a run-level fault ends the call there.
  public func setFault(_ fault: (@Sendable (MemoryRequest, Int) -> MemoryFault?)?) {
    state.withLock { $0.fault = fault }
  }

  /// Awaited at the start of every request: a place to change something, or to wait, meanwhile.
  public func setPause(_ pause: (@Sendable (MemoryRequest) async throws -> Void)?) {
    state.withLock { $0.pause = pause }
  }

  // MARK: RemoteStore

  public var limits: RemoteLimits {
    get async { state.withLock { $0.behaviour.limits } }
  }

  public var conditionalWrites: Bool? {
    get async { state.withLock { $0.behaviour.honoursConditions } }
  }

  public func list(
    since known: CollectionVersion?, receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Listing {
    if let fault = try await begin(.list) { throw fault.error(of: url) }
    let (entries, answer, batch, cut) = state.withLock { state in
      let behaviour = state.behaviour
      var listing = Listing(dialect: behaviour.dialect)
      listing.remoteID = behaviour.remoteID
      listing.version = state.collectionVersion
      listing.isUnchanged = known != nil && known == listing.version
      listing.isRolledBack =
        !listing.isUnchanged && (known.map { !state.past.contains($0.raw) } ?? false)
      let entries = listing.isUnchanged ? [] : state.entries()
      return (entries, listing, max(1, behaviour.listingBatch), behaviour.listingCutAfter)
    }
    let end = min(cut ?? entries.count, entries.count)
    for start in stride(from: 0, to: end, by: batch) {
      try Task.checkCancellation()
      try await receive(Array(entries[start..<min(start + batch, end)]))
    }
    if cut != nil, !answer.isUnchanged {
      throw SyncError(.protocolViolation, "\(url): the listing ended after \(end) entries")
    }
    return answer
  }

  public func changes(
    since known: CollectionVersion, receive: @Sendable ([RemoteChange]) async throws -> Void
  ) async throws -> Listing? {
    guard let found = state.withLock({ $0.changes(since: known) }) else { return nil }
    if let fault = try await begin(.list) { throw fault.error(of: url) }
    // What happened meanwhile counts too.
    let (listing, changes) = state.withLock { $0.changes(since: known) } ?? found
    state.withLock { $0.toldChanges += 1 }
    for change in changes {
      try Task.checkCancellation()
      try await receive([change])
    }
    return listing
  }

  public var mayCompare: Bool {
    get async { behaviour.hasComparison }
  }

  public func compare(
    _ question: RangeQuestion, since known: CollectionVersion?
  ) async throws -> (listing: Listing, answer: RangeAnswer)? {
    if let fault = try await begin(.list) { throw fault.error(of: url) }
    return try state.withLock { state in try state.compare(question, since: known) }
  }

  public func probe() async throws {
    if let fault = try await begin(.probe) { throw fault.error(of: url) }
  }

  public func notifications() async -> AsyncThrowingStream<RemoteNotification, any Error>? {
    state.withLock { state in
      guard state.behaviour.tellsChanges else { return nil }
      let (stream, continuation) = Followed.makeStream()
      state.lastFollower += 1
      let key = state.lastFollower
      state.followers[key] = continuation
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.followers[key] = nil }
      }
      continuation.yield(RemoteNotification(version: state.collectionVersion))
      return stream
    }
  }

  public func closeIdleConnections() { state.withLock { $0.freshConnections += 1 } }

  public func fetch(_ ids: [ProjectID]) async throws -> [FetchOutcome] {
    if let fault = try await begin(.fetch(ids)) {
      guard case .refused(let status, let message) = fault else { throw fault.error(of: url) }
      return ids.map { _ in .refused(status: status, message: message) }
    }
    return state.withLock { state in
      ids.map { id in
        let isFound = !state.behaviour.unfound.contains(id)
        return (isFound ? state.records[id] : nil).map { .record(state.named($0)) } ?? .absent
      }
    }
  }

  public func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    var result = WriteResult(outcomes: [])
    for (index, write) in writes.enumerated() {
      let fault = try await begin(.write(write))
      // At one moment, as a server says it: others write before and after, and not in between.
      let (before, outcome, after) = state.withLock { state in
        let before = state.collectionVersion
        let isDone =
          switch fault {
          case nil, .lostReply: true
          default: false
          }
        return (before, isDone ? state.carryOut(write) : nil, state.collectionVersion)
      }
      if index == 0 { result.previous = before }
      result.version = after
      switch fault {
      case nil: result.outcomes.append(outcome ?? .preconditionFailed)
      case .refused(let status, let message):
        result.outcomes.append(.refused(status: status, message: message))
      case .preconditionFailed: result.outcomes.append(.preconditionFailed)
      case .some(let fault): throw fault.error(of: url)
      }
    }
    return result
  }

  /// Logs a request and says what goes wrong with it.
  private func begin(_ request: MemoryRequest) async throws -> MemoryFault? {
    try Task.checkCancellation()
    let (number, fault, pause) = state.withLock { state in
      state.log.append(request)
      return (state.log.count, state.fault, state.pause)
    }
    try await pause?(request)
    try Task.checkCancellation()
    return fault?(request, number)
  }
}
