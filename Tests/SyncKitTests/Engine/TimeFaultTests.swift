import TestSupport
import Testing

@testable import SyncKit

/// The rows of "time", for one run.
@Suite("Clocks that disagree")
struct TimeFaultTests {
  private static let later = Timestamp(microseconds: 4_000_000_000_000_000)

  @Test(
    "a server that cuts stamps to seconds or milliseconds is not written to again",
    arguments: [1_000_000, 1000] as [Int64], [Direction.push, .both])
  func truncatedStamps(unit: Int64, direction: Direction) async throws {
    for hasETags in [true, false] {
      let rig = try await Rig(local: ["a", "b", "c"])
      rig.remote.behaviour.stamps = .truncated(unit)
      rig.remote.behaviour.hasETags = hasETags
      let options = SyncOptions(direction: direction)
      #expect(try await rig.sync(options).remote.appended == 3)
      try await rig.expectAtRest(options)
      try await rig.expectAtRest(options)
    }
  }

  @Test(
    "a server that sets updatedAt two hours ahead still gets a later local edit",
    arguments: [SyncOptions.push, .both, .merge])
  func serverClockAhead(options: SyncOptions) async throws {
    let rig = try await Rig(local: ["a"])
    rig.remote.behaviour.stamps = .set { Self.later }
    _ = try await rig.sync(options)
    try await rig.expectAtRest(options)
    try await rig.write("a", title: "edited")
    #expect(try await rig.sync(options).remote.updated == 1)
    #expect(rig.remoteTitles["a"] == "edited")
    try await rig.expectAtRest(options)
  }

  @Test(
    "a record stamped far in the future is not frozen: a later local edit wins",
    arguments: [4_070_908_800_000_000, 253_402_300_799_000_000] as [Int64])
  func future(stamp: Int64) async throws {
    let rig = try await Rig()
    rig.remote.put(try rig.project("a", stamp: stamp))
    _ = try await rig.sync(.both)
    try await rig.write("a", title: "edited")
    _ = try await rig.sync(.both)
    #expect(rig.remoteTitles["a"] == "edited")
    try await rig.expectAtRest(.both)
  }

  @Test(
    "moments before 1970, in 2038, 2106 and at 2^53 are carried",
    arguments: [
      -62_135_596_800_000_000, -1, 0, 2_147_483_648_000_000, 4_294_967_296_000_000,
      9_007_199_254_740_993,
    ] as [Int64])
  func moments(stamp: Int64) async throws {
    let rig = try await Rig()
    rig.remote.put(try rig.project("a", stamp: stamp))
    _ = try await rig.sync(.both)
    let project = try await rig.store.project(ProjectID("a"))
    #expect(project?.updatedAt.microseconds == stamp)
    try await rig.expectAtRest(.both)
  }

  @Test("a clock that went back to 2001 between two edits, and two edits in one tick")
  func clockBack() async throws {
    let rig = try await Rig(local: ["a"])
    _ = try await rig.sync(.both)
    // The machine's clock lies far behind the stamp of the edit before.
    try await rig.store.sql(
      "UPDATE projects SET title='ahead', updated_at=4000000000000000 WHERE id='a'")
    try await rig.write("a", title: "first")
    try await rig.write("a", title: "second")
    let stamps = try await rig.store.history(of: ProjectID("a")).map(\.project.updatedAt)
    let current = try #require(try await rig.store.project(ProjectID("a"))).updatedAt
    #expect(Set(stamps + [current]).count == 4)
    #expect(stamps.allSatisfy { $0 < current })
    _ = try await rig.sync(.both)
    #expect(rig.remoteTitles["a"] == "second")
    try await rig.expectAtRest(.both)
  }
}
