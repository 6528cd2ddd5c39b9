import Synchronization
import TestSupport
import Testing

@testable import SyncKit

@Suite("A full comparison")
struct VerifyTests {
  private func verify(
    _ rig: Rig, changesNothing: Bool = true
  ) async throws -> (Verification, [Verification.Finding]) {
    let findings = Mutex<[Verification.Finding]>([])
    rig.remote.clearLog()
    let before = try await rig.store.allProjects()
    let result = try await rig.engine(SyncOptions()).verify { finding in
      findings.withLock { $0.append(finding) }
    }
    #expect(rig.remote.writes.isEmpty)
    if changesNothing { #expect(try await rig.store.allProjects() == before) }
    return (result, findings.withLock { $0 })
  }

  private func synced(_ ids: [String]) async throws -> Rig {
    let rig = try await Rig(local: ids)
    #expect(try await rig.sync().outcome == .inSync)
    return rig
  }

  @Test("two equal sides are equal, a page or many, listed whole or not", arguments: [3, 500])
  func equal(count: Int) async throws {
    let rig = try await synced((0..<count).map { "p\($0)" })
    for listsRecords in [false, true] {
      rig.remote.behaviour.listsRecords = listsRecords
      let (result, findings) = try await verify(rig)
      #expect(result.isEqual && result.equal == count && findings.isEmpty)
    }
    try await rig.expectAtRest()
  }

  @Test("what one side lacks and what differs is named, in the order of ids")
  func different() async throws {
    let rig = try await synced(["a", "b", "c", "d"])
    try await rig.remove("a")
    try await rig.write("b", title: "edited here")
    try await rig.write("x")
    rig.remote.put(try rig.project("c", title: "edited there", stamp: 5))
    let (result, findings) = try await verify(rig)
    #expect(
      findings.map { "\($0.id) \($0.kind)" } == [
        "a onlyRemote", "b differs", "c differs", "x onlyLocal",
      ])
    #expect(result.differences == 4 && result.equal == 1)
  }

  @Test("a remote that changes a record without another version is found out")
  func silentChange() async throws {
    let rig = try await synced(["a", "b"])
    rig.remote.corrupt(try ProjectID("b"), title: "rotten")
    try await rig.expectAtRest()
    let (_, findings) = try await verify(rig)
    #expect(findings.map(\.id) == ["b"])
  }

  @Test("stamps are not compared: a server may keep its own")
  func stamps() async throws {
    let rig = try await Rig(local: ["a"])
    rig.remote.behaviour.stamps = .truncated(1_000_000)
    #expect(try await rig.sync().outcome == .inSync)
    #expect(try await verify(rig).0.isEqual)
  }

  @Test("an entry that cannot be read is told, and the others are compared")
  func unreadable() async throws {
    let rig = try await synced((0..<200).map { "p\($0)" })
    rig.remote.behaviour.added = (0..<200).map { number in
      .unreadable(UnreadableRecord(id: "p\(number)", reason: "no stamp"))
    }
    let (result, findings) = try await verify(rig)
    #expect(result.unreadable == 200 && result.onlyLocal == 0 && findings.count == 200)
  }

  @Test("a record that is edited and sent while it is compared is no difference")
  func meanwhile() async throws {
    let rig = try await synced(["a", "b"])
    let store = rig.store
    rig.remote.setPause { request in
      guard case .fetch = request else { return }
      rig.remote.setPause(nil)
      try await store.sql("UPDATE projects SET title = 'newer' WHERE id = 'b'")
      for project in try await store.allProjects() where project.title == "newer" {
        rig.remote.put(project)
      }
    }
    let (result, findings) = try await verify(rig, changesNothing: false)
    #expect(result.isEqual && result.equal == 2 && findings.isEmpty)
  }

  @Test("a listing that breaks off proves nothing")
  func cut() async throws {
    let rig = try await synced(["a", "b"])
    rig.remote.behaviour.listingCutAfter = 1
    await #expect(throws: SyncError.self) { _ = try await verify(rig) }
  }
}
