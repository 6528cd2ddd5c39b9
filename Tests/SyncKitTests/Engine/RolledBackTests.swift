import TestSupport
import Testing

@testable import SyncKit

/// A remote that was put back from a backup, between two devices.
@Suite("A remote that went back to an older state")
struct RolledBackTests {
  private let remote = MemoryRemote()
  private let first: Rig
  private let second: Rig

  init() throws {
    first = Rig(store: try LocalStore(inMemory: ()), remote: remote)
    second = Rig(store: try LocalStore(inMemory: ()), remote: remote)
  }

  private func rounds() async throws {
    for rig in [first, second, first] {
      #expect(try await rig.sync(.both).outcome == .inSync)
    }
  }

  /// Both hold a, b and c, as the backup does; then there is work that it lacks.
  private func synced() async throws -> MemoryRemote.Backup {
    for id in ["a", "b", "c"] { try await first.write(id) }
    try await rounds()
    let backup = remote.backup()
    try await first.write("a", title: "edited since")
    try await first.write("new")
    try await first.remove("b")
    try await rounds()
    return backup
  }

  private func expectKept(extra: [String: String] = [:]) async throws {
    var titles = ["a": "edited since", "c": "title of c", "new": "title of new"]
    titles.merge(extra) { $1 }
    #expect(remote.projects.count == titles.count)
    for rig in [first, second] {
      #expect(try await rig.localTitles() == titles)
      #expect(rig.remoteTitles == titles)
      try await rig.expectAtRest(.both)
    }
  }

  @Test("what it lost is sent again, what was deleted stays deleted, and it is said")
  func putBack() async throws {
    remote.putBack(try await synced())
    let report = try await first.sync(.both)
    #expect(report.outcome == .inSync && report.message.contains("put back"))
    #expect(report.local.total == 0)
    try await rounds()
    try await expectKept()
  }

  @Test("what is written there afterwards is kept, and so is what is written here")
  func writtenSince() async throws {
    remote.putBack(try await synced())
    remote.put(try first.project("later"))
    try await second.write("c", title: "edited offline")
    try await rounds()
    try await rounds()
    try await expectKept(extra: ["later": "title of later", "c": "edited offline"])
  }

  @Test("a run that is cut off does not forget it")
  func cutOff() async throws {
    remote.putBack(try await synced())
    for attempt in 1...3 {
      remote.clearLog()
      remote.setFault { request, number in
        if case .write = request, number > attempt { .offline } else { nil }
      }
      _ = try await first.sync(.both)
      _ = try await second.sync(.both)
    }
    remote.setFault(nil)
    try await rounds()
    try await rounds()
    try await expectKept()
  }

  @Test("what another device edited and deleted since does not come back in its older version")
  func deletedSince() async throws {
    remote.behaviour.remembersDeletions = true
    for id in ["a", "b"] { try await first.write(id) }
    try await rounds()
    let backup = remote.backup()
    try await first.write("new")
    try await rounds()
    remote.putBack(backup)
    try await first.write("new", title: "edited since")
    #expect(try await first.sync(.both).outcome == .inSync)
    try await first.remove("new")
    #expect(try await first.sync(.both).outcome == .inSync)
    try await rounds()
    try await rounds()
    #expect(remote.projects.count == 2)
    #expect(try await second.store.historyTitles("new").first == "title of new")
    for rig in [first, second] {
      #expect(try await rig.localTitles() == rig.remoteTitles)
      try await rig.expectAtRest(.both)
    }
  }

  @Test("with deletions kept, what comes up again is left there")
  func keepsDeletions() async throws {
    remote.putBack(try await synced())
    var options = SyncOptions.both
    options.deletions = .never
    let report = try await first.sync(options)
    #expect(report.kept == 1 && report.remote.deleted == 0)
    #expect(remote.projects.count == 4)
  }
}
