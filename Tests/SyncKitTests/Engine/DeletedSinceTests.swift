import TestSupport
import Testing

@testable import SyncKit

/// Two devices and a remote that remembers deletions. What the first uploads is stored, and it does not
/// hear of it before the second has fetched it and deleted it.
@Suite("Stored, the acknowledgement lost, then deleted by another device")
struct DeletedSinceTests {
  private let remote = MemoryRemote()
  private let first: Rig
  private let second: Rig

  init() throws {
    first = Rig(store: try LocalStore(inMemory: ()), remote: remote)
    second = Rig(store: try LocalStore(inMemory: ()), remote: remote)
    remote.behaviour.remembersDeletions = true
  }

  /// The first device's upload, whose acknowledgement is lost.
  private func upload() async throws {
    remote.setFault { request, _ in request.writtenID == nil ? nil : .lostReply }
    #expect(try await first.sync(.both).outcome == .offline)
    remote.setFault(nil)
    #expect(try await first.localTitles() == first.remoteTitles)
  }

  private func lose(_ id: String) async throws {
    for id in ["kept", "too"] { try await first.write(id) }
    #expect(try await first.sync(.both).outcome == .inSync)
    try await first.write(id)
    try await upload()
    #expect(try await second.sync(.both).outcome == .inSync)
    try await second.remove(id)
    #expect(try await second.sync(.both).outcome == .inSync)
  }

  private func expectGone(_ id: String) async throws {
    for rig in [first, second] {
      #expect(try await rig.localTitles()[id] == nil)
      #expect(try await rig.store.historyTitles(id).first == "title of \(id)")
      #expect(try await rig.localTitles() == rig.remoteTitles)
      try await rig.expectAtRest(.both)
    }
  }

  /// Uploads twelve records in one request, stores them all, loses its answer, and deletes them here.
  private func loseTwelve() async throws -> [String] {
    let ids = (10..<22).map { "p\($0)" }
    try await first.write("kept")
    #expect(try await first.sync(.both).outcome == .inSync)
    for id in ids { try await first.write(id) }
    remote.behaviour.limits.writesPerRequest = 100
    remote.setFault { request, _ in request.writtenID?.string == "p21" ? .lostReply : nil }
    #expect(try await first.sync(.both).outcome == .offline)
    remote.setFault(nil)
    #expect(first.remoteTitles.count == 13)
    for id in ids { try await first.remove(id) }
    return ids
  }

  @Test("deletions of what was stored unheard count as deletions", arguments: [false, true])
  func guarded(listsRecords: Bool) async throws {
    remote.behaviour.listsRecords = listsRecords
    let ids = try await loseTwelve()
    let report = try await first.sync(.both)
    #expect(report.outcome == .refused && report.refused?.guard == .massDeletion)
    #expect(report.refused?.deletions == 12 && first.remoteTitles.count == 13)
    var options = SyncOptions.both
    options.guards.forceDelete = true
    let forced = try await first.sync(options)
    #expect(forced.outcome == .inSync && forced.remote.deleted == 12)
    for id in ids { #expect(try await first.store.historyTitles(id).contains("title of \(id)")) }
    #expect(first.remoteTitles == ["kept": "title of kept"])
    try await first.expectAtRest(.both)
  }

  @Test("a version under the same stamp with other contents is not the one that was deleted here")
  func sameStamp() async throws {
    try await first.write("kept")
    #expect(try await first.sync(.both).outcome == .inSync)
    try await first.write("a")
    let stamp = try #require(try await first.store.project(ProjectID("a"))).updatedAt
    try await first.remove("a")
    remote.put(try first.project("a", title: "theirs", stamp: stamp.microseconds))
    #expect(try await first.sync(.both).outcome == .inSync)
    #expect(first.remoteTitles["a"] == "theirs")
    #expect(try await first.localTitles()["a"] == "theirs")
    try await first.expectAtRest(.both)
  }

  @Test("a deletion reaches a remote that stored the record unheard, after another was in sync")
  func twoRemotes() async throws {
    let other = Rig(store: first.store, remote: MemoryRemote(url: "memory://other"))
    try await first.write("kept")
    #expect(try await first.sync(.both).outcome == .inSync)
    #expect(try await other.sync(.both).outcome == .inSync)
    try await first.write("a")
    try await upload()
    try await first.remove("a")
    #expect(try await other.sync(.both).outcome == .inSync)
    let report = try await first.sync(.both)
    #expect(report.outcome == .inSync && report.remote.deleted == 1)
    for rig in [first, other] {
      #expect(try await rig.localTitles() == ["kept": "title of kept"])
      #expect(rig.remoteTitles == ["kept": "title of kept"])
      try await rig.expectAtRest(.both)
    }
  }

  @Test(
    "the deletion stands, and a copy is kept, however the difference is seen",
    arguments: [false, true], [false, true])
  func deleted(hasChanges: Bool, hasComparison: Bool) async throws {
    remote.behaviour.hasChanges = hasChanges
    remote.behaviour.hasComparison = hasComparison
    try await lose("a")
    let report = try await first.sync(.both)
    #expect(report.outcome == .inSync && report.remote.total == 0)
    let next = try await first.sync(.both)
    #expect(next.outcome == .inSync && next.local.deleted == 1)
    try await expectGone("a")
  }

  @Test("an update is as a new record")
  func updated() async throws {
    try await first.write("a", title: "before")
    #expect(try await first.sync(.both).outcome == .inSync)
    try await lose("a")
    for _ in 0..<2 { #expect(try await first.sync(.both).outcome == .inSync) }
    try await expectGone("a")
  }

  @Test("an edit made here meanwhile beats the deletion")
  func edited() async throws {
    try await lose("a")
    try await first.write("a", title: "edited since")
    for rig in [first, second] { #expect(try await rig.sync(.both).outcome == .inSync) }
    #expect(remote.projects[try ProjectID("a")]?.title == "edited since")
    for rig in [first, second] { try await rig.expectAtRest(.both) }
  }

  @Test("whoever deleted it can restore it")
  func restored() async throws {
    try await lose("a")
    for _ in 0..<2 { #expect(try await first.sync(.both).outcome == .inSync) }
    _ = try await second.store.restore(ProjectID("a"))
    for rig in [second, first] { #expect(try await rig.sync(.both).outcome == .inSync) }
    #expect(try await first.localTitles()["a"] == "title of a")
    for rig in [first, second] { try await rig.expectAtRest(.both) }
  }

  @Test("so can who puts it back under its own stamp, as an import does")
  func putBack() async throws {
    try await lose("a")
    let project = try #require(try await first.store.project(ProjectID("a")))
    for _ in 0..<2 { #expect(try await first.sync(.both).outcome == .inSync) }
    #expect(try await second.store.insert([project], replacing: false) == 1)
    for rig in [second, first] { #expect(try await rig.sync(.both).outcome == .inSync) }
    #expect(try await first.store.project(project.id)?.updatedAt == project.updatedAt)
    for rig in [first, second] { try await rig.expectAtRest(.both) }
  }

  @Test("in push, this store's word is the last")
  func push() async throws {
    try await lose("a")
    let report = try await first.sync(.push)
    #expect(report.outcome == .inSync && report.remote.appended == 1)
    try await first.expectAtRest(.push)
  }

  @Test("with deletions kept, it is kept here and not sent")
  func never() async throws {
    try await lose("a")
    var options = SyncOptions.both
    options.deletions = .never
    for _ in 0..<2 { #expect(try await first.sync(options).outcome == .inSync) }
    #expect(try await first.localTitles()["a"] != nil && first.remoteTitles["a"] == nil)
    try await first.expectAtRest(options)
  }

  @Test("many deletions at once are asked about, as any others")
  func guarded() async throws {
    let ids = (0..<12).map { "p\($0)" }
    for id in ids { try await first.write(id) }
    remote.behaviour.limits.writesPerRequest = 100
    remote.setFault { request, _ in request.writtenID?.string == "p9" ? .lostReply : nil }
    #expect(try await first.sync(.both).outcome == .offline)
    remote.setFault(nil)
    #expect(remote.projects.count == 12)
    for id in ids { remote.remove(try ProjectID(id)) }
    remote.put(try first.project("theirs"))
    #expect(try await first.sync(.both).outcome == .inSync)
    let report = try await first.sync(.both)
    #expect(report.refused != nil && report.local.deleted == 0)
    #expect(try await first.localTitles().count == 13)
  }

  @Test("where the remote remembers nothing, it is sent again")
  func forgotten() async throws {
    remote.behaviour.remembersDeletions = false
    try await lose("a")
    for rig in [first, second] { #expect(try await rig.sync(.both).outcome == .inSync) }
    #expect(try await second.localTitles()["a"] != nil)
    for rig in [first, second] { try await rig.expectAtRest(.both) }
  }
}
