import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// A store and a remote with a random history behind them.
private struct History {
  let rig: Rig
  var random: SeededGenerator
  private var clock: Int64 = 1_600_000_000_000_000

  init(seed: UInt64, store: LocalStore) {
    rig = Rig(store: store, remote: MemoryRemote())
    rig.remote.behaviour.hasChanges = true
    random = SeededGenerator(seed: seed)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private mutating func id() throws -> ProjectID {
    try ProjectID(
      ["a", "b", "c", "d", "e\u{301}", "é", "f", "g", "h", "i"].randomElement(using: &random) ?? "z"
    )
  }

  private mutating func title() -> String { ["x", "y", "z"].randomElement(using: &random) ?? "" }

  mutating func changeHere() async throws {
    let id = try id()
    if chance(30) { return try await rig.remove(id.string) }
    try await rig.write(id.string, title: title())
  }

  mutating func changeThere() throws {
    let id = try id()
    if chance(30) { return rig.remote.remove(id) }
    var project = try rig.remote.projects[id] ?? rig.project(id.string)
    clock += 1_000_000
    // Now and then a stamp that is newer than any here, with the contents as they are.
    project.updatedAt = Timestamp(microseconds: chance(30) ? clock + (1 << 60) : clock)
    if chance(70) { project.title = title() }
    rig.remote.put(project)
  }

  mutating func changes(_ count: Int) async throws {
    for _ in 0..<count {
      if chance(50) { try await changeHere() } else { try changeThere() }
    }
  }

  mutating func options() -> SyncOptions {
    var options = SyncOptions(direction: Direction.allCases.randomElement(using: &random) ?? .both)
    options.deletions = DeletionPolicy.allCases.randomElement(using: &random) ?? .known
    options.conflicts = ConflictPolicy.allCases.randomElement(using: &random) ?? .newest
    (options.guards.allowEmpty, options.guards.forceDelete) = (true, true)
    return options
  }

  /// A run, now and then with trouble in the middle of it.
  mutating func run(_ options: SyncOptions) async throws {
    let fault = [
      MemoryFault.offline, .lostReply, .preconditionFailed, .refused(status: 422, message: "no"),
    ]
    .randomElement(using: &random)
    let last = Int.random(in: 1...6, using: &random)
    if chance(30) {
      rig.remote.setFault { request, number in
        if case .write = request, number > last { fault } else { nil }
      }
    }
    rig.remote.clearLog()
    _ = try await rig.sync(options)
    rig.remote.setFault(nil)
  }

  func expectCounted(_ seed: UInt64) async throws {
    let counted = try await rig.store.number("SELECT count(*) FROM syncd_base")
    let known = try await rig.store.number("SELECT coalesce(sum(known), 0) FROM syncd_remote")
    #expect(known == counted, "seed \(seed)")
  }
}

@Suite("The plan from what changed")
struct ChangesPlanTests {
  private static let policies = Direction.allCases.flatMap { direction in
    DeletionPolicy.allCases.flatMap { deletions in
      ConflictPolicy.allCases.map { conflicts in
        var options = SyncOptions(direction: direction)
        (options.deletions, options.conflicts) = (deletions, conflicts)
        return options
      }
    }
  }

  @Test("is the plan from the whole listing, whatever happened before and by every policy")
  func same() async throws {
    var told = 0
    for _ in 0..<20 {
      let seed = UInt64.random(in: .min ... .max)
      var history = History(seed: seed, store: try LocalStore(inMemory: ()))
      let rig = history.rig
      for _ in 0..<4 {
        try await history.changes(6)
        try await history.run(history.options())
        try await history.expectCounted(seed)
      }
      _ = try await rig.sync(.both)
      if history.chance(80) {
        try await history.changes(Int.random(in: 0...6, using: &history.random))
      }
      for options in Self.policies {
        rig.remote.behaviour.hasChanges = false
        var whole = try await rig.engine(options).plan()
        rig.remote.behaviour.hasChanges = true
        let before = rig.remote.toldChanges
        var partial = try await rig.engine(options).plan()
        told += rig.remote.toldChanges - before
        // A tombstone makes a deletion explicit, of which a listing knows nothing.
        (whole.refused, partial.refused) = (nil, nil)
        #expect(whole == partial, "seed \(seed), \(options.direction), \(options.deletions)")
      }
      try await history.expectCounted(seed)
    }
    #expect(told > 20)
  }

  @Test("is the same where ranges are compared, with no version known and any record agreed or not")
  func compared() async throws {
    var told = 0
    for _ in 0..<12 {
      let seed = UInt64.random(in: .min ... .max)
      var history = History(seed: seed, store: try LocalStore(inMemory: ()))
      let rig = history.rig
      // Another remote has all of it, so that the journal is empty.
      let other = SyncEngine(store: rig.store, remote: MemoryRemote(url: "memory://other"))
      for _ in 0..<3 {
        try await history.changes(6)
        try await history.run(history.options())
      }
      if history.chance(50) { _ = try await other.synchronize() }
      try await history.changes(3)
      try await rig.store.sql("UPDATE syncd_remote SET collection_version=NULL")
      rig.remote.behaviour.hasChanges = false
      for var options in Self.policies {
        options.comparesFrom = 0
        rig.remote.behaviour.hasComparison = false
        var whole = try await rig.engine(options).plan()
        rig.remote.behaviour.hasComparison = true
        let before = rig.remote.toldRanges
        var compared = try await rig.engine(options).plan()
        told += rig.remote.toldRanges - before
        (whole.refused, compared.refused) = (nil, nil)
        #expect(whole == compared, "seed \(seed), \(options.direction), \(options.deletions)")
      }
    }
    #expect(told > 12)
  }

  @Test(
    "nothing of the store is written by a plan or a full comparison, however the remote is asked")
  func writesNothing() async throws {
    let temporary = try TemporaryStore()
    let rig = Rig(store: try temporary.open(), remote: MemoryRemote())
    for number in 0..<50 { try await rig.write("p\(number)") }
    #expect(try await rig.sync(.both).outcome == .inSync)
    try await rig.write("p7", title: "ours")
    try await rig.theirs("p9") { $0.title = "theirs" }
    try await rig.store.sql("UPDATE syncd_remote SET collection_version=NULL")
    rig.remote.behaviour.hasChanges = false
    var options = SyncOptions.both
    options.comparesFrom = 0
    func state() async throws -> [Int64] {
      [
        try await rig.store.number("SELECT count(*) FROM syncd_chunk"),
        try await rig.store.number("SELECT count(incomparable_at) FROM syncd_remote"),
      ]
    }
    for isAnswered in [true, false] {
      rig.remote.behaviour.hasComparison = true
      rig.remote.behaviour.answersComparison = isAnswered
      let files = ["", "-wal"].map { FileSystem.read(temporary.path + $0) }
      let before = try await state()
      let told = rig.remote.toldRanges
      let plan = try await rig.engine(options).plan()
      #expect(plan.remote.update.count == 1 && plan.local.update.count == 1)
      #expect((rig.remote.toldRanges > told) == isAnswered)
      _ = try await rig.engine(options).verify { _ in }
      #expect(["", "-wal"].map { FileSystem.read(temporary.path + $0) } == files)
      #expect(try await state() == before)
    }
    rig.remote.behaviour.answersComparison = true
    #expect(try await rig.sync(options).outcome == .inSync)
    try await rig.expectAtRest(options)
  }

  @Test("what the base knows is counted, whenever a run is killed")
  func killed() async throws {
    let seed = UInt64.random(in: .min ... .max)
    let temporary = try TemporaryStore()
    var history = History(seed: seed, store: try temporary.open())
    let copies = Mutex([TemporaryStore]())
    history.rig.remote.setPause { _ in
      let copy = try TemporaryStore()
      temporary.copy(to: copy)
      copies.withLock { $0.append(copy) }
    }
    for _ in 0..<5 {
      try await history.changes(8)
      try await history.run(history.options())
    }
    try await history.expectCounted(seed)
    for copy in copies.withLock({ $0 }) {
      let opened = try copy.open()
      let counted = try await opened.number("SELECT count(*) FROM syncd_base")
      let known = try await opened.number("SELECT coalesce(sum(known), 0) FROM syncd_remote")
      #expect(known == counted, "seed \(seed)")
    }
  }

  // MARK: One by one

  private func synced(_ ids: [String]) async throws -> Rig {
    let rig = try await Rig(local: ids)
    rig.remote.behaviour.hasChanges = true
    #expect(try await rig.sync(.both).outcome == .inSync)
    return rig
  }

  @Test("carries over what changed there, deletions too, without a listing")
  func carries() async throws {
    let rig = try await synced(["a", "b", "c"])
    try await rig.theirs("a") { $0.title = "theirs" }
    rig.remote.remove(try ProjectID("b"))
    try await rig.theirs("new") { _ in }
    rig.remote.put(try rig.project("new"))
    try await rig.write("c", title: "ours")
    let before = rig.remote.toldChanges
    let report = try await rig.sync(.both)
    #expect(report.outcome == .inSync && report.unchanged == 0)
    #expect(rig.remote.toldChanges == before + 1)
    #expect(try await rig.localTitles() == ["a": "theirs", "c": "ours", "new": "title of new"])
    #expect(rig.remoteTitles == ["a": "theirs", "c": "ours", "new": "title of new"])
    try await rig.expectAtRest(.both)
  }

  @Test("falls back to the listing where the changes are forgotten, or another remote answers")
  func fallsBack() async throws {
    let rig = try await synced(["a", "b"])
    rig.remote.put(try rig.project("new"))
    rig.remote.forgetChanges()
    let before = rig.remote.toldChanges
    #expect(try await rig.sync(.both).local.appended == 1)
    #expect(rig.remote.toldChanges == before)
    rig.remote.behaviour.remoteID = "another"
    rig.remote.remove(try ProjectID("a"))
    let report = try await rig.sync(.both)
    #expect(rig.remote.toldChanges == before + 1)
    // Nothing was agreed with that one: what it lacks is sent.
    #expect(report.remote.appended == 1 && report.local.total == 0)
    try await rig.expectAtRest(.both)
  }

  @Test("a run that listed, and is killed before its end, is followed by one that looks again")
  func killedAfterListing() async throws {
    let rig = try await synced(["a"])
    try await rig.remove("a")
    try await rig.write("b")
    // A server that answers as though it were empty: the base forgets what it seems to have lost.
    rig.remote.behaviour.hasChanges = false
    let honest = rig.remote.backup()
    rig.remote.remove(try ProjectID("a"))
    rig.remote.setFault { request, _ in if case .write = request { .cancelled } else { nil } }
    await #expect(throws: CancellationError.self) { try await rig.sync(.both) }
    rig.remote.setFault(nil)
    rig.remote.behaviour.hasChanges = true
    rig.remote.putBack(honest)
    _ = try await rig.sync(.both)
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(.both)
  }

  @Test("a deletion that the remote tells of is explicit, up to the limit")
  func explicit() async throws {
    for count in [3, 11] {
      let ids = (0..<count).map { "p\($0)" }
      let rig = try await synced(ids)
      for id in ids { rig.remote.remove(try ProjectID(id)) }
      let report = try await rig.sync(.both)
      #expect(report.outcome == (count == 3 ? .inSync : .refused))
      #expect(try await rig.store.count() == (count == 3 ? 0 : 11))
      if count == 3 { try await rig.expectAtRest(.both) }
    }
  }

  @Test("a remote that goes back to an older state is looked at whole")
  func rolledBack() async throws {
    let rig = try await synced(["a", "b"])
    let backup = rig.remote.backup()
    try await rig.write("a", title: "edited")
    #expect(try await rig.sync(.both).outcome == .inSync)
    rig.remote.putBack(backup)
    rig.remote.put(try rig.project("since"))
    rig.remote.put(try rig.project("since too"))
    let report = try await rig.sync(.both)
    #expect(report.message.contains("put back"))
    #expect(rig.remoteTitles["a"] == "edited")
    try await rig.expectAtRest(.both)
  }
}
