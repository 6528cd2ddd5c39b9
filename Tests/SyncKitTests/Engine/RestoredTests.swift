import TestSupport
import Testing

@testable import SyncKit

@Suite("A store put back from before a run")
struct RestoredTests {
  @Test("a run that only agreed or only forgot counts as well", arguments: [true, false])
  func onlyAgreed(forgets: Bool) async throws {
    let file = try TemporaryStore()
    let backup = try TemporaryStore()
    let remote = MemoryRemote()
    func rig() throws -> Rig { Rig(store: try file.open(), remote: remote) }
    func runs() async throws {
      let rig = try rig()
      if forgets {
        try await rig.remove("b")
        remote.remove(try ProjectID("b"))
      } else {
        try await rig.write("c")
        remote.put(try #require(try await rig.store.project(ProjectID("c"))))
      }
      let report = try await rig.sync(.push)
      #expect(report.outcome == .inSync && !report.wroteAnything)
    }
    let first = try rig()
    for id in ["a", "b"] { try await first.write(id) }
    _ = try await first.sync(.push)
    file.copy(to: backup)
    try await runs()
    let before = remote.projects
    backup.copy(to: file)
    let restored = try rig()
    #expect(await restored.store.isRestored)
    _ = try await restored.sync(.push)
    #expect(remote.projects == before)
  }
}
