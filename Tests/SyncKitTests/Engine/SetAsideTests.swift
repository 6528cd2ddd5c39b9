import TestSupport
import Testing

@testable import SyncKit

@Suite("What is set aside is shown, and leaves the list when it is settled")
struct SetAsideTests {
  private func status(_ rig: Rig) async throws -> StoreStatus {
    try await rig.store.status(remote: rig.remote.url)
  }

  @Test("a conflict that waits is in the status until it is decided", arguments: [1, 2, 3, 4])
  func conflictWaits(decision: Int) async throws {
    let rig = try await Rig(local: ["a", "b"])
    let manual = SyncOptions(direction: .both, conflicts: .manual)
    _ = try await rig.sync(manual)
    try await rig.write("a", title: "mine")
    rig.remote.put(try rig.project("a", title: "theirs", stamp: 5))
    #expect(try await rig.sync(manual).outcome == .conflicts)
    try await rig.expectAtRest(manual, outcome: .conflicts)
    #expect(try await status(rig).conflicts == 1)
    #expect(try await status(rig).setAside.isEmpty)

    switch decision {
    case 1: _ = try await rig.sync(SyncOptions(direction: .both, conflicts: .local))
    case 2: _ = try await rig.sync(SyncOptions(direction: .both, conflicts: .remote))
    case 3:
      try await rig.write("a", title: "theirs")
      try await rig.store.sql("UPDATE projects SET created_at = 1600000000000000 WHERE id = 'a'")
    default:
      try await rig.remove("a")
      rig.remote.remove(try ProjectID("a"))
    }
    let report = try await rig.sync(manual)
    #expect(report.outcome == .inSync)
    #expect(report.conflicts == 0)
    #expect(try await status(rig).conflicts == 0)
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(manual)
  }

  @Test("a record refused for trouble that passes is tried again", arguments: [408, 429])
  func passingTrouble(status: Int) async throws {
    let rig = try await Rig(local: ["a", "b"])
    rig.remote.setFault { request, _ in
      request.writtenID?.string == "a" ? .refused(status: status, message: "not now") : nil
    }
    #expect(try await rig.sync(.push).outcome == .partial)
    rig.remote.setFault(nil)
    #expect(try await rig.sync(.push).outcome == .inSync)
    #expect(rig.remoteTitles.count == 2)
    try await rig.expectAtRest(.push)
  }

  @Test("a refused record that is deleted leaves the list")
  func deleted() async throws {
    let rig = try await Rig(local: ["a", "b"])
    rig.remote.setFault { request, _ in
      request.writtenID?.string == "a" ? .refused(status: 422, message: "no") : nil
    }
    _ = try await rig.sync(.push)
    #expect(try await status(rig).setAside.map(\.id) == ["a"])
    try await rig.remove("a")
    #expect(try await rig.sync(.push).outcome == .inSync)
    #expect(try await status(rig).setAside.isEmpty)
    try await rig.expectAtRest(.push)
  }

  @Test("a refused record that the other side's version replaces leaves the list")
  func replaced() async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.both)
    try await rig.write("a", title: "mine")
    rig.remote.setFault { request, _ in
      request.writtenID?.string == "a" ? .refused(status: 422, message: "no") : nil
    }
    #expect(try await rig.sync(.both).outcome == .partial)
    rig.remote.put(try rig.project("a", title: "theirs", stamp: 4_000_000_000_000_000))
    #expect(try await rig.sync(.both).outcome == .inSync)
    #expect(try await rig.localTitles()["a"] == "theirs")
    #expect(try await status(rig).setAside.isEmpty)
    try await rig.expectAtRest(.both)
  }

  @Test("an entry of the listing that cannot be taken over is in the status while it is there")
  func unreadableEntry() async throws {
    let rig = try await Rig(local: ["a"])
    rig.remote.behaviour.hasCollectionVersion = false
    rig.remote.behaviour.added = [
      .unreadable(UnreadableRecord(id: "a", reason: "no stamp")),
      .unreadable(UnreadableRecord(id: "", reason: "no id")),
    ]
    #expect(try await rig.sync(.push).failed.count == 2)
    #expect(try await rig.sync(.push).failed.count == 2)
    #expect(try await status(rig).setAside.map(\.message) == ["no id", "no stamp"])
    rig.remote.behaviour.added = []
    #expect(try await rig.sync(.push).outcome == .inSync)
    #expect(rig.remoteTitles == ["a": "title of a"])
    #expect(try await status(rig).setAside.isEmpty)
  }

  @Test("what the local store cannot hold is set aside, and tried again when it changes")
  func refusedHere() async throws {
    let rig = try await Rig(local: ["a"])
    var bad = try rig.project("bad")
    bad.extra = ExtraMembers(trusted: "[]")
    rig.remote.put(bad)
    let report = try await rig.sync(.both)
    #expect(report.outcome == .partial)
    #expect(report.failed.map(\.id) == ["bad"])
    #expect(try await status(rig).setAside.map(\.action) == ["append"])
    try await rig.expectAtRest(.both, outcome: .partial)
    rig.remote.put(try rig.project("bad", title: "good", stamp: 9))
    #expect(try await rig.sync(.both).outcome == .inSync)
    #expect(try await rig.localTitles()["bad"] == "good")
    #expect(try await status(rig).setAside.isEmpty)
    try await rig.expectAtRest(.both)
  }

  @Test("a record that goes while it is compared is seen by the next run")
  func goneWhileCompared() async throws {
    let rig = try await Rig(local: ["a", "b"], remote: ["a"])
    rig.remote.setPause { request in
      if case .fetch = request { try await rig.remove("a") }
    }
    _ = try await rig.sync(.both)
    rig.remote.setPause(nil)
    _ = try await rig.sync(.both)
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(.both)
  }

  @Test("another remote whose version is spelled like the former one's is read as a whole")
  func sameVersionElsewhere() async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.both)
    let other = MemoryRemote()
    other.behaviour.remoteID = "memory-2"
    for id in ["c", "d"] { other.put(try rig.project(id)) }
    #expect(other.collectionVersion == rig.remote.collectionVersion)
    let moved = Rig(store: rig.store, remote: other)
    _ = try await moved.sync(.both)
    #expect(other.projects.count == 4)
    #expect(other.projects.count == (try await moved.localTitles().count))
    try await moved.expectAtRest(.both)
  }
}
