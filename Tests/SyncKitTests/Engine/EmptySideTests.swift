import TestSupport
import Testing

@testable import SyncKit

/// The rows of "a side that looks empty", for one run.
@Suite("A side that looks empty")
struct EmptySideTests {
  private static let twenty = (0..<20).map { "p\($0)" }

  private func expectRefused(
    _ report: SyncReport, _ guardName: Refusal.Guard, _ rig: Rig, records: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(report.outcome == .refused, sourceLocation: sourceLocation)
    #expect(report.refused?.guard == guardName, sourceLocation: sourceLocation)
    #expect(rig.remote.writes.isEmpty, sourceLocation: sourceLocation)
    #expect(rig.remote.projects.count == records, sourceLocation: sourceLocation)
    #expect(report.message.contains("--"), sourceLocation: sourceLocation)
  }

  @Test(
    "a fresh store is refused in push, whatever the deletions", arguments: DeletionPolicy.allCases)
  func freshStore(policy: DeletionPolicy) async throws {
    let rig = try await Rig(remote: Self.twenty)
    let report = try await rig.sync(SyncOptions(direction: .push, deletions: policy))
    expectRefused(report, .emptySide, rig, records: 20)
  }

  @Test("a fresh store beside one that has synced is filled in both")
  func freshStoreInBoth() async throws {
    let rig = try await Rig(local: Self.twenty)
    _ = try await rig.sync(.both)
    let fresh = Rig(store: try LocalStore(inMemory: ()), remote: rig.remote)
    let report = try await fresh.sync(.both)
    #expect(report.local.appended == 20)
    #expect(rig.remote.projects.count == 20)
    try await fresh.expectAtRest(.both)
  }

  @Test("the only project removed is a deletion that someone asked for")
  func onlyProject() async throws {
    let rig = try await Rig(local: ["a"])
    _ = try await rig.sync(.push)
    try await rig.store.remove(ProjectID("a"))
    let report = try await rig.sync(.push)
    #expect(report.remote.deleted == 1)
    #expect(rig.remote.projects.isEmpty)
    try await rig.expectAtRest(.push)
  }

  @Test(
    "the last three of three removed with plain SQL are synced", arguments: [Direction.push, .both])
  func lastThree(direction: Direction) async throws {
    let rig = try await Rig(local: ["a", "b", "c"])
    _ = try await rig.sync(SyncOptions(direction: direction))
    try await rig.store.sql("DELETE FROM projects")
    let report = try await rig.sync(SyncOptions(direction: direction))
    #expect(report.outcome == .inSync)
    #expect(rig.remote.projects.isEmpty)
    try await rig.expectAtRest(SyncOptions(direction: direction))
  }

  @Test(
    "twenty removed at once are too many to be believed, until --allow-empty and --force-delete")
  func twentyRemoved() async throws {
    let rig = try await Rig(local: Self.twenty)
    _ = try await rig.sync(.push)
    try await rig.store.sql("DELETE FROM projects")
    rig.remote.clearLog()
    expectRefused(try await rig.sync(.push), .emptySide, rig, records: 20)
    var options = SyncOptions.push
    options.guards.allowEmpty = true
    expectRefused(try await rig.sync(options), .massDeletion, rig, records: 20)
    options.guards.forceDelete = true
    let report = try await rig.sync(options)
    #expect(report.remote.deleted == 20)
    try await rig.expectAtRest(.push)
  }

  @Test(
    "a remote that is new and empty at the same URL empties nothing here",
    arguments: ["memory-1", "memory-2", nil])
  func replacedRemote(remoteID: String?) async throws {
    let rig = try await Rig(local: Self.twenty)
    if remoteID == nil { rig.remote.behaviour.remoteID = nil }
    _ = try await rig.sync(.both)
    rig.remote.removeAll()
    rig.remote.behaviour.remoteID = remoteID
    rig.remote.clearLog()
    let report = try await rig.sync(.both)
    expectRefused(report, .emptySide, rig, records: 0)
    #expect(try await rig.store.count() == 20)
  }

  @Test("a remote that suddenly lists nothing is not refilled in push before someone looks")
  func emptyListingInPush() async throws {
    let rig = try await Rig(local: Self.twenty)
    rig.remote.behaviour.remoteID = nil
    _ = try await rig.sync(.push)
    rig.remote.removeAll()
    rig.remote.clearLog()
    expectRefused(try await rig.sync(.push), .emptySide, rig, records: 0)
  }

  @Test("an empty listing of a remote that still holds the records is a protocol error")
  func lyingListing() async throws {
    let rig = try await Rig(local: Self.twenty)
    _ = try await rig.sync(.push)
    rig.remote.behaviour.hidden = Set(rig.remote.projects.keys)
    rig.remote.behaviour.hasCollectionVersion = false
    rig.remote.clearLog()
    let report = try await rig.sync(.push)
    #expect(report.outcome == .protocol)
    #expect(rig.remote.writes.isEmpty)
  }

  @Test("an empty listing whose records are refused is one of the credentials")
  func unauthorizedListing() async throws {
    let rig = try await Rig(local: Self.twenty)
    _ = try await rig.sync(.both)
    rig.remote.behaviour.hidden = Set(rig.remote.projects.keys)
    rig.remote.behaviour.hasCollectionVersion = false
    rig.remote.clearLog()
    rig.remote.setFault { request, _ in
      if case .fetch = request { .refused(status: 403, message: "no") } else { nil }
    }
    let report = try await rig.sync(.both)
    #expect(report.outcome == .unauthorized)
    #expect(rig.remote.writes.isEmpty)
    #expect(try await rig.store.count() == 20)
  }

  @Test("both sides empty is fine, the first time and the second", arguments: Direction.allCases)
  func bothEmpty(direction: Direction) async throws {
    let rig = try await Rig()
    let options = SyncOptions(direction: direction)
    #expect(try await rig.sync(options).outcome == .inSync)
    try await rig.expectAtRest(options)
  }

  @Test("95 of 100 gone on one side is refused", arguments: Direction.allCases)
  func massDeletion(direction: Direction) async throws {
    let ids = (0..<100).map { "p\($0)" }
    let rig = try await Rig(local: ids)
    _ = try await rig.sync(.both)
    if direction == .pull {
      for id in ids.prefix(95) { rig.remote.remove(try ProjectID(id)) }
    } else {
      for id in ids.prefix(95) { try await rig.remove(id) }
    }
    rig.remote.clearLog()
    let report = try await rig.sync(SyncOptions(direction: direction))
    #expect(report.refused?.guard == .massDeletion)
    #expect(report.refused?.deletions == 95)
    #expect(report.refused?.of == 100)
    #expect(rig.remote.writes.isEmpty)
  }

  @Test(
    "another account's collection is a first contact: nothing is deleted because of the old base")
  func otherAccount() async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.both)
    rig.remote.removeAll()
    rig.remote.behaviour.remoteID = "memory-2"
    rig.remote.put(try rig.project("x"))
    let report = try await rig.sync(.both)
    #expect(report.outcome == .inSync)
    #expect(report.local == SyncReport.Changes(appended: 1))
    #expect(report.remote == SyncReport.Changes(appended: 2))
    try await rig.expectAtRest(.both)
  }
}
