import TestSupport
import Testing

@testable import SyncKit

@Suite("Push: the remote is made equal to the local store")
struct PushTests {
  @Test("local − remote is appended, remote − local is deleted, a newer local version updates")
  func setArithmetic() async throws {
    let rig = try await Rig(local: ["a", "b"], remote: ["b", "c"])
    let report = try await rig.sync(.push)
    #expect(report.outcome == .inSync)
    #expect(report.remote.appended == 1)
    #expect(report.remote.updated == 1)
    #expect(report.remote.deleted == 1)
    #expect(report.local.total == 0)
    #expect(rig.remoteTitles == ["a": "title of a", "b": "title of b"])
    try await rig.expectAtRest(.push)
  }

  @Test("an edit, an addition and a removal after the first run are all that the second writes")
  func delta() async throws {
    let rig = try await Rig(local: ["a", "b", "c", "d"])
    _ = try await rig.sync(.push)
    rig.remote.clearLog()
    try await rig.write("a", title: "edited")
    try await rig.write("e")
    try await rig.remove("b")
    let report = try await rig.sync(.push)
    #expect(report.remote == SyncReport.Changes(appended: 1, updated: 1, deleted: 1))
    #expect(rig.remote.writes.count == 3)
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(.push)
  }

  @Test("what the remote loses is in the history first")
  func historyKeepsRemoteVersions() async throws {
    let rig = try await Rig(local: ["a"], remote: ["b"])
    rig.remote.put(try rig.project("a", title: "theirs", stamp: 1))
    _ = try await rig.sync(.push)
    #expect(try await rig.store.historyTitles("a") == ["theirs"])
    #expect(try await rig.store.historyTitles("b") == ["title of b"])
    try await rig.expectAtRest(.push)
  }

  @Test("a remote version that our own history holds is not fetched before it is replaced")
  func knownVersionsAreNotFetched() async throws {
    let rig = try await Rig(local: ["a"])
    _ = try await rig.sync(.push)
    try await rig.write("a", title: "edited")
    rig.remote.clearLog()
    _ = try await rig.sync(.push)
    let fetches = rig.remote.log.filter { if case .fetch = $0 { true } else { false } }
    #expect(fetches.isEmpty)
    #expect(try await rig.store.historyTitles("a") == ["title of a"])
    try await rig.expectAtRest(.push)
  }

  @Test("a newer remote version with other contents is left alone and counted")
  func remoteNewer() async throws {
    let rig = try await Rig(local: ["a"])
    rig.remote.put(try rig.project("a", title: "theirs", stamp: 4_000_000_000_000_000))
    let report = try await rig.sync(.push)
    #expect(report.remoteNewer == 1)
    #expect(report.outcome == .inSync)
    #expect(rig.remoteTitles == ["a": "theirs"])
    try await rig.expectAtRest(.push)
  }

  @Test("a version newer on the remote with the same contents is agreed on")
  func sameContents() async throws {
    let rig = try await Rig(local: ["a"])
    var copy = try #require(try await rig.store.project(ProjectID("a")))
    copy.updatedAt = Timestamp(microseconds: 4_000_000_000_000_000)
    rig.remote.put(copy)
    let report = try await rig.sync(.push)
    #expect(report.adopted == 1)
    #expect(!report.wroteAnything)
    try await rig.expectAtRest(.push)
  }

  @Test(
    "deletions: known deletes only what both sides had, never deletes nothing",
    arguments: [(DeletionPolicy.known, ["c"]), (.never, ["b", "c"])])
  func deletionPolicies(policy: DeletionPolicy, kept: [String]) async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.push)
    rig.remote.put(try rig.project("c"))
    try await rig.remove("b")
    let options = SyncOptions(direction: .push, deletions: policy)
    let report = try await rig.sync(options)
    #expect(report.kept == kept.count)
    #expect(Set(rig.remoteTitles.keys) == Set(["a"] + kept))
    try await rig.expectAtRest(options)
  }

  @Test("a plan writes nothing on either side and says what the run then does")
  func planFirst() async throws {
    let rig = try await Rig(local: ["a", "b"], remote: ["b", "c"])
    let plan = try await rig.engine(.push).plan()
    #expect(rig.remote.writes.isEmpty)
    #expect(plan.remote.append.map(\.string) == ["a"])
    #expect(plan.remote.update.map(\.string) == ["b"])
    #expect(plan.remote.delete.map(\.string) == ["c"])
    #expect(plan.hasWork)
    let report = try await rig.sync(.push)
    #expect(report.remote.total == 3)
    try await rig.expectAtRest(.push)
  }

  @Test("batches of any size do the same", arguments: [1, 2, 3, 7, 1000])
  func batches(size: Int) async throws {
    let rig = try await Rig(local: (0..<21).map { "p\($0)" }, remote: (10..<24).map { "p\($0)" })
    rig.remote.behaviour.limits.writesPerRequest = size
    rig.remote.behaviour.limits.fetchesPerRequest = size
    let report = try await rig.sync(.push)
    #expect(report.remote == SyncReport.Changes(appended: 10, updated: 11, deleted: 3))
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(.push)
  }

  @Test("nothing to do costs one listing that is answered unchanged")
  func nothingToDo() async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.push)
    try await rig.expectAtRest(.push)
    #expect(rig.remote.log == [.list])
  }
}

extension SyncReport.Changes {
  init(appended: Int = 0, updated: Int = 0, deleted: Int = 0) {
    self.init()
    self.appended = appended
    self.updated = updated
    self.deleted = deleted
  }
}
