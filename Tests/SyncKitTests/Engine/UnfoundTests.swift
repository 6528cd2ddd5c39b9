import TestSupport
import Testing

@testable import SyncKit

/// A remote whose listing and whose answers by id do not agree.
@Suite("A record that is listed and not found")
struct UnfoundTests {
  private func ghost(_ id: String, stamp: Int64 = 5) throws -> ListedRecord {
    .digest(
      RemoteDigest(
        id: try ProjectID(id), updatedAt: Timestamp(microseconds: stamp), version: Version("ghost"))
    )
  }

  private func rig(_ local: [String], ghosts: [ListedRecord]) async throws -> Rig {
    let rig = try await Rig(local: local)
    rig.remote.behaviour.hasCollectionVersion = false
    rig.remote.behaviour.added = ghosts
    return rig
  }

  @Test(
    "is left to the next run, and fails when that run does not find it either",
    arguments: Direction.allCases)
  func twice(direction: Direction) async throws {
    let options = SyncOptions(direction: direction)
    let rig = try await rig(["a", "b"], ghosts: [])
    if direction == .pull { for id in ["a", "b"] { rig.remote.put(try rig.project(id)) } }
    _ = try await rig.sync(options)
    let titles = try await rig.localTitles()
    rig.remote.behaviour.added = [try ghost("gone")]

    let first = try await rig.sync(options)
    #expect(first.outcome == .inSync, "\(first.message)")
    #expect(first.message.contains("next run"))
    #expect(try await rig.store.status(remote: rig.remote.url).setAside.isEmpty)
    let second = try await rig.sync(options)
    #expect(second.outcome == .partial)
    #expect(second.failed.map(\.id) == ["gone"])
    #expect(second.failed.first?.message.contains("lists it") == true)
    #expect(second.failed.first?.status == 404)
    let status = try await rig.store.status(remote: rig.remote.url)
    #expect(status.setAside.map(\.action) == ["fetch"])
    try await rig.expectAtRest(options, outcome: .partial)
    #expect(try await rig.localTitles() == titles)

    rig.remote.behaviour.added = []
    #expect(try await rig.sync(options).outcome == .inSync)
    #expect(try await rig.store.status(remote: rig.remote.url).setAside.isEmpty)
    try await rig.expectAtRest(options)
  }

  @Test("is taken over once it is found")
  func foundLater() async throws {
    let rig = try await rig(["a"], ghosts: [try ghost("late")])
    for outcome in [SyncReport.Outcome.inSync, .partial] {
      #expect(try await rig.sync(.both).outcome == outcome)
    }
    rig.remote.behaviour.added = []
    rig.remote.put(try rig.project("late"))
    #expect(try await rig.sync(.both).outcome == .inSync)
    #expect(try await rig.localTitles()["late"] == "title of late")
    #expect(try await rig.store.status(remote: rig.remote.url).setAside.isEmpty)
    try await rig.expectAtRest(.both)
  }

  @Test("is not deleted here, where this store has it", arguments: [true, false])
  func known(isKnown: Bool) async throws {
    let rig = try await rig(["a", "b"], ghosts: [])
    if isKnown {
      _ = try await rig.sync(.both)
      rig.remote.remove(try ProjectID("a"))
    }
    // Another version of one that was agreed, or another stamp at first contact: it is asked for.
    rig.remote.behaviour.added = [try ghost("a")]
    #expect(try await rig.sync(.both).outcome == .inSync)
    let second = try await rig.sync(.both)
    #expect(second.failed.map(\.id) == ["a"], "\(second.message)")
    #expect(try await rig.localTitles().count == 2)
    try await rig.expectAtRest(.both, outcome: .partial)
  }

  @Test("a plan says so, and writes nothing")
  func plan() async throws {
    let rig = try await rig(["a", "b"], ghosts: [try ghost("a")])
    let plan = try await rig.engine(.both).plan()
    #expect(plan.setAside.map(\.id) == ["a"])
    #expect(rig.remote.writes.isEmpty)
    #expect(try await rig.store.status(remote: rig.remote.url).setAside.isEmpty)
  }

  @Test("a record that changes after it was listed is settled by what was compared")
  func changedSinceListed() async throws {
    let rig = try await Rig(local: ["a"])
    try await rig.store.sql("UPDATE projects SET title='same', created_at=1600000000000000")
    rig.remote.put(try rig.project("a", title: "other", stamp: 5))
    rig.remote.setPause { request in
      if case .fetch = request { rig.remote.put(try rig.project("a", title: "same", stamp: 6)) }
    }
    let report = try await rig.sync(.both)
    #expect(report.outcome == .inSync)
    #expect(report.adopted == 1)
    rig.remote.setPause(nil)
    try await rig.expectAtRest(.both)
  }

  @Test("a record that is edited here while it is compared goes out with the next run")
  func editedWhileCompared() async throws {
    let rig = try await Rig(local: ["a"], remote: ["a"])
    rig.remote.setPause { request in
      if case .fetch = request { try await rig.write("a", title: "edited") }
    }
    _ = try await rig.sync(.both)
    rig.remote.setPause(nil)
    _ = try await rig.sync(.both)
    #expect(rig.remoteTitles == ["a": "edited"])
    #expect(try await rig.localTitles() == ["a": "edited"])
    try await rig.expectAtRest(.both)
  }
}
