import TestSupport
import Testing

@testable import SyncKit

@Suite("Pull: the local store is made equal to the remote")
struct PullTests {
  @Test("the same arithmetic with the sides exchanged", arguments: [true, false])
  func setArithmetic(listsRecords: Bool) async throws {
    let rig = try await Rig(local: ["a"], remote: ["a", "b"])
    rig.remote.behaviour.listsRecords = listsRecords
    rig.remote.put(try rig.project("a", title: "theirs", stamp: 4_000_000_000_000_000))
    try await rig.write("c")
    let report = try await rig.sync(.pull)
    #expect(report.local == SyncReport.Changes(appended: 1, updated: 1, deleted: 1))
    #expect(rig.remote.writes.isEmpty)
    #expect(try await rig.localTitles() == ["a": "theirs", "b": "title of b"])
    #expect(try await rig.store.historyTitles("a") == ["title of a"])
    #expect(try await rig.store.historyTitles("c") == ["title of c"])
    try await rig.expectAtRest(.pull)
  }

  @Test("a first pull fills an empty store")
  func fills() async throws {
    let rig = try await Rig(remote: (0..<30).map { "p\($0)" })
    let report = try await rig.sync(.pull)
    #expect(report.local.appended == 30)
    try await rig.expectAtRest(.pull)
  }

  @Test("stamps and unknown members arrive as they were")
  func lossless() async throws {
    let rig = try await Rig()
    var project = try rig.project("a", stamp: 1_700_000_000_123_457)
    project.dueAt = "2026-12-24T18:00+05:45"
    project.extra = try ExtraMembers(
      json: #"{"n":1.10,"big":12345678901234567890,"x":[1,{"y":null}]}"#)
    rig.remote.put(project)
    _ = try await rig.sync(.pull)
    #expect(try await rig.store.project(project.id) == project)
    try await rig.expectAtRest(.pull)
  }

  @Test("a record that the listing lacks and a fetch finds is not deleted")
  func hiddenRecords() async throws {
    let rig = try await Rig(remote: ["a", "b", "c"])
    _ = try await rig.sync(.pull)
    rig.remote.behaviour.hidden = [try ProjectID("b")]
    rig.remote.behaviour.hasCollectionVersion = false
    let report = try await rig.sync(.pull)
    #expect(report.local.deleted == 0)
    #expect(try await rig.localTitles().count == 3)
    try await rig.expectAtRest(.pull)
  }

  @Test("a local edit made while the remote's version is fetched is not overwritten")
  func editedMeanwhile() async throws {
    let rig = try await Rig(remote: ["a", "b"])
    _ = try await rig.sync(.pull)
    rig.remote.put(try rig.project("a", title: "theirs", stamp: 4_000_000_000_000_000))
    rig.remote.setPause { request in
      if case .fetch = request { try await rig.write("a", title: "mine") }
    }
    _ = try await rig.sync(.pull)
    #expect(try await rig.localTitles()["a"] == "mine")
    rig.remote.setPause(nil)
    _ = try await rig.sync(.pull)
    try await rig.expectAtRest(.pull)
  }
}
