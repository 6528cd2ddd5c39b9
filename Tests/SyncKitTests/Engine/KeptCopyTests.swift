import Synchronization
import TestSupport
import Testing

@testable import SyncKit

@Suite("Nothing is lost without a copy or past a guard")
struct KeptCopyTests {
  @Test(
    "records that the listing shows and no fetch finds are not taken for deleted",
    arguments: [Direction.pull, .both])
  func listedButAbsent(direction: Direction) async throws {
    let ids = (0..<20).map { "p\($0)" }
    let rig = try await Rig(local: ids)
    _ = try await rig.sync(.both)
    rig.remote.removeAll()
    rig.remote.behaviour.hasCollectionVersion = false
    rig.remote.behaviour.added = try ids.map {
      .digest(
        RemoteDigest(
          id: try ProjectID($0), updatedAt: Timestamp(microseconds: 4_000_000_000_000_000),
          version: Version("\"other\"")))
    }
    let report = try await rig.sync(SyncOptions(direction: direction))
    #expect(report.local.deleted == 0)
    #expect(try await rig.localTitles().count == 20)
  }

  @Test(
    "what cannot be read from the remote is neither replaced nor removed there",
    arguments: [true, false])
  func unreadableCopy(deletes: Bool) async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.push)
    rig.remote.put(try rig.project("a", title: "theirs", stamp: 5))
    if deletes { try await rig.remove("a") } else { try await rig.write("a", title: "mine") }
    rig.remote.setFault { request, _ in
      if case .fetch = request { .refused(status: 422, message: "cannot be shown") } else { nil }
    }
    let report = try await rig.sync(.push)
    #expect(report.outcome == .partial)
    #expect(report.failed.map(\.id) == ["a"])
    #expect(rig.remoteTitles["a"] == "theirs")
    try await rig.expectAtRest(.push, outcome: .partial)

    rig.remote.setFault(nil)
    var options = SyncOptions.push
    options.retriesFailed = true
    #expect(try await rig.sync(options).outcome == .inSync)
    #expect(rig.remoteTitles["a"] == (deletes ? nil : "mine"))
    #expect(try await rig.store.historyTitles("a").contains("theirs"))
    try await rig.expectAtRest(.push)
  }

  @Test("what is listed and not found is not replaced", arguments: [Direction.push, .both])
  func unfoundCopy(direction: Direction) async throws {
    let options = SyncOptions(direction: direction, conflicts: .local)
    let rig = try await Rig(local: ["a", "b"])
    rig.remote.behaviour.honoursConditions = false
    _ = try await rig.sync(options)
    rig.remote.put(try rig.project("a", title: "theirs", stamp: 5))
    try await rig.write("a", title: "mine")
    rig.remote.behaviour.unfound = [try ProjectID("a")]
    rig.remote.clearLog()
    let report = try await rig.sync(options)
    let copied = try await rig.store.historyTitles("a").contains("theirs")
    #expect(copied || rig.remoteTitles["a"] == "theirs", "\(report.message)")
    rig.remote.behaviour.unfound = []
    #expect(try await rig.sync(options).outcome == .inSync)
    #expect(rig.remoteTitles["a"] == "mine")
    #expect(try await rig.store.historyTitles("a").contains("theirs"))
    try await rig.expectAtRest(options)
  }

  @Test("what a remote makes of a record when it stores it is copied before it is replaced")
  func altered() async throws {
    let rig = try await Rig(local: ["b"])
    rig.remote.behaviour.alters = { $0.title = "ALTERED" }
    try await rig.write("a", title: "mine")
    #expect(try await rig.sync(.both).outcome == .inSync)
    try await rig.expectAtRest(.both)
    rig.remote.behaviour.alters = nil
    try await rig.write("a", title: "mine again")
    #expect(try await rig.sync(.both).remote.updated == 1)
    #expect(try await rig.store.historyTitles("a").contains("ALTERED"))
    try await rig.expectAtRest(.both)
  }

  @Test("an agreement by stamps alone, made while writing, is no copy of the other's contents")
  func agreedByStamp() async throws {
    let rig = try await Rig(local: ["b"])
    _ = try await rig.sync(.push)
    try await rig.write("a", title: "mine")
    let stamp = try #require(try await rig.store.project(ProjectID("a"))).updatedAt
    let done = Mutex(false)
    rig.remote.setPause { request in
      guard request.writtenID != nil, !done.withLock({ $0 }) else { return }
      done.withLock { $0 = true }
      rig.remote.put(try rig.project("a", title: "theirs", stamp: stamp.microseconds))
    }
    #expect(try await rig.sync(.push).adopted == 1)
    try await rig.remove("a")
    #expect(try await rig.sync(.push).remote.deleted == 1)
    #expect(try await rig.store.historyTitles("a").contains("theirs"))
    try await rig.expectAtRest(.push)
  }
}
