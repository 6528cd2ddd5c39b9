import TestSupport
import Testing

@testable import SyncKit

@Suite("Both: two-way")
struct TwoWayTests {
  private func rig(_ ids: [String] = ["a", "b", "c"]) async throws -> Rig {
    let rig = try await Rig(local: ids)
    _ = try await rig.sync(.both)
    return rig
  }

  private func theirs(_ rig: Rig, _ id: String, stamp: Int64) throws {
    rig.remote.put(try rig.project(id, title: "theirs", stamp: stamp))
  }

  @Test("additions and edits go both ways, whatever the clocks say")
  func bothWays() async throws {
    let rig = try await rig()
    try await rig.write("a", title: "mine")
    try theirs(rig, "b", stamp: 5)
    try await rig.write("d")
    try theirs(rig, "e", stamp: 5)
    let report = try await rig.sync(.both)
    #expect(report.remote == SyncReport.Changes(appended: 1, updated: 1))
    #expect(report.local == SyncReport.Changes(appended: 1, updated: 1))
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    #expect(rig.remoteTitles["a"] == "mine")
    #expect(rig.remoteTitles["b"] == "theirs")
    try await rig.expectAtRest(.both)
  }

  @Test("a deletion on one side is one on both")
  func deletions() async throws {
    let rig = try await rig()
    try await rig.remove("a")
    rig.remote.remove(try ProjectID("b"))
    let report = try await rig.sync(.both)
    #expect(report.remote.deleted == 1)
    #expect(report.local.deleted == 1)
    #expect(Set(rig.remoteTitles.keys) == ["c"])
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    #expect(try await rig.store.historyTitles("b") == ["title of b"])
    try await rig.expectAtRest(.both)
  }

  @Test("an edit beats a delete, on either side")
  func editBeatsDelete() async throws {
    let rig = try await rig()
    try await rig.remove("a")
    try theirs(rig, "a", stamp: 4_000_000_000_000_000)
    try await rig.write("b", title: "mine")
    rig.remote.remove(try ProjectID("b"))
    _ = try await rig.sync(.both)
    #expect(rig.remoteTitles["a"] == "theirs")
    #expect(rig.remoteTitles["b"] == "mine")
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(.both)
  }

  @Test("deleted on both sides is forgotten")
  func deletedOnBoth() async throws {
    let rig = try await rig()
    try await rig.remove("a")
    rig.remote.remove(try ProjectID("a"))
    let report = try await rig.sync(.both)
    #expect(!report.wroteAnything)
    try await rig.expectAtRest(.both)
  }

  @Test(
    "in a conflict the newer wins by default, and the loser can be restored",
    arguments: [(Int64(5), "mine"), (4_000_000_000_000_000, "theirs")])
  func newestWins(stamp: Int64, winner: String) async throws {
    let rig = try await rig()
    try await rig.write("a", title: "mine")
    try theirs(rig, "a", stamp: stamp)
    let report = try await rig.sync(.both)
    #expect(report.conflicts == 1)
    #expect(rig.remoteTitles["a"] == winner)
    #expect(try await rig.localTitles()["a"] == winner)
    let loser = winner == "mine" ? "theirs" : "mine"
    #expect(try await rig.store.historyTitles("a").contains(loser))
    try await rig.expectAtRest(.both)
  }

  @Test(
    "the conflict policies local and remote decide whatever the stamps",
    arguments: [(ConflictPolicy.local, "mine"), (.remote, "theirs")])
  func policies(policy: ConflictPolicy, winner: String) async throws {
    let rig = try await rig()
    try await rig.write("a", title: "mine")
    try theirs(rig, "a", stamp: policy == .local ? 4_000_000_000_000_000 : 5)
    let options = SyncOptions(direction: .both, conflicts: policy)
    _ = try await rig.sync(options)
    #expect(rig.remoteTitles["a"] == winner)
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(options)
  }

  @Test("a conflict that waits leaves both sides as they are, and everything else goes on")
  func manual() async throws {
    let rig = try await rig()
    try await rig.write("a", title: "mine")
    try theirs(rig, "a", stamp: 5)
    try await rig.write("d")
    let options = SyncOptions(direction: .both, conflicts: .manual)
    let report = try await rig.sync(options)
    #expect(report.outcome == .conflicts)
    #expect(report.conflicts == 1)
    #expect(rig.remoteTitles["a"] == "theirs")
    #expect(try await rig.localTitles()["a"] == "mine")
    #expect(rig.remoteTitles["d"] != nil)
    try await rig.expectAtRest(options, outcome: .conflicts)
  }

  @Test("two devices that stamp the same moment pick the same winner and come to rest")
  func equalStamps() async throws {
    let one = try await rig(["a"])
    let other = Rig(store: try LocalStore(inMemory: ()), remote: one.remote)
    _ = try await other.sync(.both)
    for (rig, title) in [(one, "from one"), (other, "from the other")] {
      try await rig.store.sql(
        "UPDATE projects SET title = ?, updated_at = 4000000000000000 WHERE id = 'a'",
        [.text(title)])
    }
    _ = try await one.sync(.both)
    _ = try await other.sync(.both)
    _ = try await one.sync(.both)
    #expect(try await one.localTitles() == (try await other.localTitles()))
    #expect(one.remoteTitles == (try await one.localTitles()))
    try await one.expectAtRest(.both)
    try await other.expectAtRest(.both)
  }

  @Test("a base that is lost is a first contact: equal records are agreed on, nothing is deleted")
  func baseLost() async throws {
    let rig = try await rig()
    try await rig.store.sql("DELETE FROM syncd_base")
    try await rig.store.sql("DELETE FROM syncd_remote")
    let report = try await rig.sync(.both)
    #expect(report.adopted == 3)
    #expect(!report.wroteAnything)
    try await rig.expectAtRest(.both)
  }
}

extension Rig {
  init(store: LocalStore, remote: MemoryRemote) {
    self.store = store
    self.remote = remote
  }
}
