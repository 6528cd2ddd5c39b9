import TestSupport
import Testing

@testable import SyncKit

/// The rows of "a listing that lies" that the engine answers for; dialects answer for the others.
@Suite("A listing that lies")
struct ListingFaultTests {
  @Test("a listing that fails half-way writes nothing", arguments: Direction.allCases)
  func halfListing(direction: Direction) async throws {
    let rig = try await Rig(local: ["a", "b", "c"], remote: ["c", "d", "e", "f"])
    rig.remote.behaviour.listingBatch = 1
    rig.remote.behaviour.listingCutAfter = 2
    let before = try await rig.localTitles()
    let report = try await rig.sync(SyncOptions(direction: direction))
    #expect(report.outcome == .protocol)
    #expect(rig.remote.writes.isEmpty)
    #expect(try await rig.localTitles() == before)
  }

  @Test("an id listed twice with different versions is left alone and reported; the others go on")
  func listedTwice() async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.push)
    let digest = RemoteDigest(
      id: try ProjectID("a"), updatedAt: Timestamp(microseconds: 1), version: Version("other"))
    rig.remote.behaviour.added = Array(repeating: .digest(digest), count: 10)
    try await rig.write("a", title: "edited")
    try await rig.write("b", title: "edited")
    let report = try await rig.sync(.push)
    #expect(report.outcome == .partial)
    #expect(report.failed.map(\.id) == ["a"])
    #expect(rig.remoteTitles == ["a": "title of a", "b": "edited"])
    try await rig.expectAtRest(.push, outcome: .partial)
  }

  @Test("an id listed twice with one version is one entry")
  func shiftedPages() async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.push)
    rig.remote.behaviour.hasCollectionVersion = false
    rig.remote.behaviour.added = [.digest(try #require(rig.remote.records.first).digest)]
    try await rig.expectAtRest(.push)
  }

  @Test("an entry without a usable id is reported, and nothing is concluded from it")
  func unreadableEntries() async throws {
    let rig = try await Rig(local: ["a", "123"])
    rig.remote.behaviour.added = [
      .unreadable(UnreadableRecord(id: "123", reason: "the id is not a string")),
      .unreadable(UnreadableRecord(id: "", reason: "no id")),
    ]
    let report = try await rig.sync(.push)
    #expect(report.outcome == .partial)
    #expect(report.failed.count == 2)
    #expect(Set(rig.remoteTitles.keys) == ["a"])
    try await rig.expectAtRest(.push, outcome: .partial)
  }

  @Test("a remote that is offline, refuses or misbehaves ends the run with its own outcome")
  func outcomes() async throws {
    let faults: [(MemoryFault, SyncReport.Outcome)] = [
      (.offline, .offline), (.unauthorized, .unauthorized), (.protocolViolation, .protocol),
    ]
    for (fault, outcome) in faults {
      let rig = try await Rig(local: ["a"])
      rig.remote.setFault { _, _ in fault }
      let report = try await rig.sync(.push)
      #expect(report.outcome == outcome)
      #expect(!report.message.isEmpty)
      rig.remote.setFault(nil)
      #expect(try await rig.sync(.push).outcome == .inSync)
      try await rig.expectAtRest(.push)
    }
  }
}
