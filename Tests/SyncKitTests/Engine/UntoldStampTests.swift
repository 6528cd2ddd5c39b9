import TestSupport
import Testing

@testable import SyncKit

/// A remote whose listing tells no stamps: they are learned from contents, and only where a rule asks.
@Suite("Stamps that no listing tells")
struct UntoldStampTests {
  private func rig(_ local: [String] = [], _ remote: [String] = []) async throws -> Rig {
    let rig = try await Rig(local: local, remote: remote)
    rig.remote.behaviour.tellsStamps = false
    return rig
  }

  /// How often each record was asked for.
  private func fetches(_ rig: Rig) -> [ProjectID: Int] {
    var counts: [ProjectID: Int] = [:]
    for case .fetch(let ids) in rig.remote.log { for id in ids { counts[id, default: 0] += 1 } }
    return counts
  }

  @Test("first contact asks for each record once at most", arguments: Direction.allCases)
  func firstContact(direction: Direction) async throws {
    let options = SyncOptions(direction: direction, deletions: .never)
    let rig = try await rig(["same", "older", "newer", "here"], ["there"])
    for (id, bump) in [("same", false), ("older", true), ("newer", true)] {
      try await rig.theirs(id, bumps: bump) { if $0.id.string != "same" { $0.title = "theirs" } }
    }
    let newer = ProjectID(trusted: "newer")
    var project = try #require(rig.remote.projects[newer])
    project.updatedAt = Timestamp(microseconds: 4_000_000_000_000_000)
    rig.remote.put(project)
    let report = try await rig.sync(options)
    #expect(report.outcome == .inSync, "\(report.message)")
    #expect(fetches(rig).values.allSatisfy { $0 == 1 }, "\(fetches(rig))")
    let (here, there) = (try await rig.localTitles(), rig.remoteTitles)
    switch direction {
    case .push:
      #expect(there["older"] == "title of older" && there["newer"] == "theirs")
      #expect(report.remoteNewer == 1 && there["here"] != nil)
    case .pull:
      #expect(here["newer"] == "theirs" && here["older"] == "title of older")
    case .both:
      #expect(here == there && here["older"] == "title of older" && here["newer"] == "theirs")
    }
    try await rig.expectAtRest(options)
  }

  @Test("what is as it was agreed costs nothing but the list", arguments: Direction.allCases)
  func atRest(direction: Direction) async throws {
    let options = SyncOptions(direction: direction)
    let rig = try await rig()
    for id in ["a", "b", "c"] {
      try await rig.write(id)
      try await rig.theirs(id, bumps: false) { _ in }
    }
    _ = try await rig.sync(options)
    rig.remote.behaviour.hasCollectionVersion = false
    rig.remote.clearLog()
    _ = try await rig.sync(options)
    #expect(rig.remote.log == [.list])
    if direction != .pull {
      try await rig.write("a", title: "edited")
      #expect(try await rig.sync(options).remote.updated == 1)
    }
    try await rig.expectAtRest(options)
  }

  @Test("edits, deletions and conflicts are settled as where stamps are told")
  func settled() async throws {
    let rig = try await rig(["edited", "theirs", "both", "gone", "lost"])
    _ = try await rig.sync(.both)
    try await rig.write("edited", title: "mine")
    try await rig.theirs("theirs") { $0.title = "theirs" }
    try await rig.write("both", title: "mine")
    try await rig.theirs("both") { $0.title = "theirs" }
    try await rig.remove("gone")
    rig.remote.remove(ProjectID(trusted: "lost"))
    let report = try await rig.sync(.both)
    #expect(report.outcome == .inSync && report.conflicts == 1, "\(report)")
    let titles = try await rig.localTitles()
    #expect(titles == rig.remoteTitles)
    #expect(titles == ["edited": "mine", "theirs": "theirs", "both": "mine"])
    try await rig.expectAtRest(.both)
  }

  @Test(
    "a deletion of what was sent, its acknowledgement lost, is no new record",
    arguments: [true, false])
  func lostAcknowledgement(isOurs: Bool) async throws {
    let rig = try await rig(["kept"])
    _ = try await rig.sync(.both)
    try await rig.write("a")
    try await rig.theirs("a", bumps: !isOurs) { if !isOurs { $0.title = "theirs" } }
    try await rig.remove("a")
    let report = try await rig.sync(.both)
    #expect(report.outcome == .inSync, "\(report.message)")
    #expect((rig.remoteTitles["a"] == nil) == isOurs)
    #expect(try await rig.localTitles() == rig.remoteTitles)
    try await rig.expectAtRest(.both)
  }
}
