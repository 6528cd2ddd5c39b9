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
}
