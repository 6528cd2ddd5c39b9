import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// One implementation of `RemoteStore` before one kind of server, for the contract suite.
struct RemoteUnderTest: Sendable, CustomTestStringConvertible {
  /// A remote, and what its server holds and another device does to it.
  struct Instance: Sendable {
    var remote: any RemoteStore
    var put: @Sendable (Project) async throws -> Void
    var projects: @Sendable () async throws -> [ProjectID: Project]
    /// Why the server cannot hold an id; nil where it can.
    var fault: @Sendable (ProjectID) -> String? = { _ in nil }
    /// Breaks requests of `remote`, where that can be done.
    var interruption: InterruptedTransport?
    /// The same remote, whose credentials are wrong.
    var stranger: (any RemoteStore)?
    /// Stops what `make` started.
    var stop: @Sendable () async -> Void = {}
  }

  var name: String
  var make: @Sendable () async throws -> Instance

  var testDescription: String { name }

  /// Every one; or, where the environment names a server, that one alone.
  static var all: [RemoteUnderTest] {
    if let external { return [external] }
    return [memory, syncd, autoSyncd] + rest + real + dialects
  }

  static let memory = RemoteUnderTest(name: "memory") {
    let remote = MemoryRemote()
    return Instance(remote: remote, put: { remote.put($0) }, projects: { remote.projects })
  }

  /// Those that tell what changed since a version of the collection.
  static var tellingChanges: [RemoteUnderTest] {
    if let external { return [external] }
    let memory = RemoteUnderTest(name: "memory that tells changes") {
      let remote = MemoryRemote()
      remote.behaviour.hasChanges = true
      return Instance(remote: remote, put: { remote.put($0) }, projects: { remote.projects })
    }
    return [memory] + real.filter { !$0.name.hasPrefix("rest") } + dialectsTellingChanges
  }

  /// Those that remember deletions by the version that was deleted.
  static var rememberingDeletions: [RemoteUnderTest] {
    let memory = RemoteUnderTest(name: "memory that remembers deletions") {
      let remote = MemoryRemote()
      remote.behaviour.remembersDeletions = true
      return Instance(remote: remote, put: { remote.put($0) }, projects: { remote.projects })
    }
    return [memory] + real.filter { !$0.name.hasPrefix("rest") }
  }

  static let syncd = RemoteUnderTest(name: "syncd") { try syncd(.syncd) }
  static let autoSyncd = RemoteUnderTest(name: "auto before syncd") { try syncd(.auto) }

  private static func syncd(_ dialect: RemoteOptions.Dialect) throws -> Instance {
    let server = SyncdServerModel()
    server.habits.pageSize = 100
    var options = RemoteOptions(url: "http://localhost/v1/projects")
    options.dialect = dialect
    let remote = try makeRemote(
      options, transport: server.transport, clock: JumpingClock(), random: { 0.5 })
    return Instance(remote: remote, put: { server.put($0) }, projects: { server.projects })
  }

  static var rest: [RemoteUnderTest] {
    let ticks = Ticks()
    let habits: [(String, (inout RESTServerModel.Habits) -> Void)] = [
      ("with entity tags", { _ in }),
      ("without entity tags", { $0.hasETags = false }),
      ("with entity tags in the listing", { $0.listsETags = true }),
      (
        "with whole records and entity tags in the listing",
        {
          ($0.listsETags, $0.listsRecords) = (true, true)
        }
      ),
      ("with whole records in the listing", { $0.listsRecords = true }),
      ("with weak entity tags", { $0.isWeak = true }),
      ("that ignores conditions", { ($0.honoursUpdates, $0.honoursCreates) = (false, false) }),
      ("that ignores If-None-Match", { $0.honoursCreates = false }),
      (
        "that ignores conditions and lists tags",
        {
          ($0.honoursUpdates, $0.honoursCreates, $0.listsETags) = (false, false, true)
        }
      ),
      ("that replies 204", { $0.reply = .empty }),
      ("that replies 204 and lists tags", { ($0.reply, $0.listsETags) = (.empty, true) }),
      ("that replies 204 and has no tags", { ($0.reply, $0.hasETags) = (.empty, false) }),
      ("that replies OK", { $0.reply = .text }),
      ("with pages", { ($0.pageSize, $0.total) = (60, true) }),
      ("that cuts stamps to seconds", { $0.stamp = { $0.cut(to: 1_000_000) } }),
      (
        "that cuts stamps to milliseconds, without tags",
        {
          $0.stamp = { $0.cut(to: 1000) }
          $0.hasETags = false
        }
      ),
      ("that sets stamps", { $0.stamp = { _ in ticks.next() } }),
      (
        "that sets stamps, replies 204 and has no tags",
        {
          $0.stamp = { _ in ticks.next() }
          ($0.reply, $0.hasETags) = (.empty, false)
        }
      ),
      (
        "with names of its own",
        {
          ($0.fields.id, $0.fields.updatedAt, $0.fields.title) = ("key", "modified", "name")
        }
      ),
    ]
    return habits.map { name, change in
      var chosen = RESTServerModel.Habits()
      change(&chosen)
      let habits = chosen
      return RemoteUnderTest(name: "rest, a server \(name)") {
        let server = RESTServerModel(habits)
        var options = RemoteOptions(url: "http://localhost/v1/projects/")
        options.dialect = .rest
        options.fields = habits.fields
        let remote = try makeRemote(
          options, transport: server.transport, clock: JumpingClock(), random: { 0.5 })
        return Instance(remote: remote, put: { server.put($0) }, projects: { server.projects })
      }
    }
  }
}

/// Stamps of a server's own, two hours ahead and a second apart.
private final class Ticks: Sendable {
  private let last = Mutex<Int64>(1_800_007_200_000_000)

  func next() -> Timestamp {
    last.withLock { last in
      last += 1_000_000
      return Timestamp(microseconds: last)
    }
  }
}

extension Timestamp {
  func cut(to unit: Int64) -> Timestamp {
    Timestamp(microseconds: microseconds - microseconds % unit)
  }
}

extension Project {
  /// A project whose stamp is `second` seconds, and some microseconds, after a fixed moment.
  static func sample(_ id: String, title: String = "A title", second: Int64 = 0) -> Project {
    Project(
      id: ProjectID(trusted: id), title: title, body: "Some words",
      createdAt: Timestamp(microseconds: 1_800_000_000_123_456),
      updatedAt: Timestamp(microseconds: 1_800_000_000_123_456 + second * 1_000_000),
      extra: ExtraMembers(trusted: "{\"effort\":1.10}"))
  }
}

extension RemoteStore {
  /// Every entry of the listing, gathered.
  func entries(since known: CollectionVersion? = nil) async throws -> [ListedRecord] {
    try await listing(since: known).entries
  }

  func listing(
    since known: CollectionVersion? = nil
  ) async throws -> (entries: [ListedRecord], listing: Listing) {
    let gathered = Mutex([ListedRecord]())
    let listing = try await list(since: known) { entries in
      gathered.withLock { $0 += entries }
    }
    return (gathered.withLock { $0 }, listing)
  }

  /// What changed since a version, each id as it was left; nil where it is not told.
  func changed(
    since known: CollectionVersion
  ) async throws -> (changes: [ProjectID: RemoteChange], listing: Listing)? {
    let gathered = Mutex([ProjectID: RemoteChange]())
    let listing = try await changes(since: known) { changes in
      gathered.withLock { gathered in
        for change in changes { gathered[change.id] = change }
      }
    }
    return listing.map { (gathered.withLock { $0 }, $0) }
  }

  func digests() async throws -> [ProjectID: RemoteDigest] {
    var digests: [ProjectID: RemoteDigest] = [:]
    for case let entry in try await entries() {
      switch entry {
      case .digest(let digest): digests[digest.id] = digest
      case .record(let record): digests[record.project.id] = record.digest
      case .unreadable: break
      }
    }
    return digests
  }

  func write(_ write: RemoteWrite) async throws -> WriteOutcome {
    let outcomes = try await self.write([write]).outcomes
    return outcomes.count == 1 ? outcomes[0] : .refused(status: 0, message: "no outcome")
  }
}

extension RemoteChange {
  var id: ProjectID {
    switch self {
    case .stored(let digest): digest.id
    case .deleted(let id), .absent(let id): id
    }
  }
}

extension WriteOutcome {
  var digest: RemoteDigest? { if case .stored(let digest) = self { digest } else { nil } }
}
