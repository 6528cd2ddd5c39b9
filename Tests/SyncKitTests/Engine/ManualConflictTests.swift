import Synchronization
import TestSupport
import Testing

@testable import SyncKit

extension SyncOptions {
  static let manual = SyncOptions(direction: .both, conflicts: .manual)
  static let merge = SyncOptions(direction: .both, conflicts: .merge)
}

@Suite("A conflict that waits for a decision")
struct ManualConflictTests {
  /// A rig whose project `a` has the title "mine" here, "theirs" there, and "title of a" before.
  private func rig(listsRecords: Bool = false) async throws -> Rig {
    let rig = try await Rig(local: ["a", "b"])
    rig.remote.behaviour.listsRecords = listsRecords
    _ = try await rig.sync(.both)
    try await rig.write("a", title: "mine")
    try await rig.theirs("a") { $0.title = "theirs" }
    #expect(try await rig.sync(.manual).outcome == .conflicts)
    return rig
  }

  private func waiting(_ rig: Rig) async throws -> [WaitingConflict] {
    try await rig.store.conflicts(remote: rig.remote.url)
  }

  private func kept(_ rig: Rig) async throws -> [HistoryVersion] {
    try await rig.store.history(of: ProjectID("a")).filter { $0.origin == .remote }
  }

  @Test(
    "has both versions and what was before at hand, offline; the remote's is fetched and kept once",
    arguments: [true, false])
  func bothVersions(listsRecords: Bool) async throws {
    let rig = try await rig(listsRecords: listsRecords)
    let conflict = try #require(try await waiting(rig).first)
    #expect(conflict.local?.title == "mine")
    #expect(conflict.remote?.title == "theirs")
    #expect(conflict.base?.title == "title of a")
    for _ in 0..<3 { try await rig.expectAtRest(.manual, outcome: .conflicts) }
    #expect(!rig.remote.log.contains { if case .fetch = $0 { true } else { false } })
    #expect(try await kept(rig).map(\.reason) == [.conflict])
    #expect(try await waiting(rig).first?.since == conflict.since)
  }

  @Test("follows both sides: a newer version on either is shown in its place")
  func changesAgain() async throws {
    let rig = try await rig()
    try await rig.write("a", title: "mine again")
    try await rig.theirs("a") { $0.title = "theirs again" }
    _ = try await rig.sync(.manual)
    let conflict = try #require(try await waiting(rig).first)
    #expect(conflict.local?.title == "mine again")
    #expect(conflict.remote?.title == "theirs again")
    // Back to the very version of before: the history has it, and it is the one that waits.
    try await rig.theirs("a", bumps: false) {
      $0.title = "theirs"
      $0.updatedAt = Rig.theirStamp
    }
    _ = try await rig.sync(.manual)
    #expect(try await waiting(rig).first?.remote?.title == "theirs")
    #expect(try await kept(rig).count == 2)
    try await rig.expectAtRest(.manual, outcome: .conflicts)
  }

  @Test("stays to be looked at when its versions are older than the history is kept")
  func outlivesHistory() async throws {
    let rig = try await rig()
    var options = SyncOptions.manual
    options.historyKeep = .zero
    _ = try await rig.sync(options)
    try await rig.store.maintain(historyKeep: .zero, at: Timestamp(microseconds: .max))
    let conflict = try #require(try await waiting(rig).first)
    #expect(conflict.remote?.title == "theirs")
    #expect(conflict.base?.title == "title of a")
  }

  @Test("that an older version of the store left without the remote's version gets it")
  func withoutCopy() async throws {
    let rig = try await rig()
    try await rig.store.sql("UPDATE syncd_set_aside SET kept=NULL")
    try await rig.store.sql("DELETE FROM syncd_history WHERE origin='remote'")
    #expect(try await waiting(rig).first?.remote == nil)
    try await rig.expectAtRest(.manual, outcome: .conflicts)
    #expect(try await waiting(rig).first?.remote?.title == "theirs")
  }

  @Test("is bounded, however often the remote changes meanwhile")
  func bounded() async throws {
    let rig = try await rig()
    for number in 0..<230 {
      try await rig.theirs("a") { $0.title = "theirs \(number)" }
      _ = try await rig.sync(.manual)
    }
    #expect(try await kept(rig).count <= 201)
    #expect(try await waiting(rig).first?.remote?.title == "theirs 229")
  }

  @Test(
    "is carried out as decided by the next run", arguments: ConflictWinner.allCases,
    ConflictPolicy.allCases)
  func decided(winner: ConflictWinner, policy: ConflictPolicy) async throws {
    let rig = try await rig()
    let conflict = try await rig.store.conflict("a", remote: rig.remote.url)
    try await rig.store.resolve(conflict, keep: winner, remote: rig.remote.url)
    #expect(try await waiting(rig).isEmpty)
    let status = try await rig.store.status(remote: rig.remote.url)
    #expect(status.conflicts == 0 && status.setAside.isEmpty && status.pending == 1)

    // The decision stands, whatever the rules would have said.
    let options = SyncOptions(direction: .both, conflicts: policy)
    let plan = try await rig.engine(options).plan()
    #expect(plan.hasWork)
    let report = try await rig.sync(options)
    #expect(report.outcome == .inSync, "\(report.message)")
    // The local version is the newer: of the field that clashes it is taken.
    let title = winner == .remote ? "theirs" : "mine"
    #expect(rig.remoteTitles["a"] == title)
    #expect(try await rig.localTitles()["a"] == title)
    #expect(
      try await Set(rig.store.historyTitles("a")).isSuperset(
        of: [winner == .remote ? "mine" : "theirs"]))
    #expect(try await rig.store.status(remote: rig.remote.url).pending == 0)
    try await rig.expectAtRest(options)
  }

  @Test(
    "is decided anew when either side changed after the decision",
    arguments: [ConflictWinner.local, .remote], Side.allCases)
  func changedAfterDecision(winner: ConflictWinner, side: Side) async throws {
    let rig = try await rig()
    let conflict = try await rig.store.conflict("a", remote: rig.remote.url)
    try await rig.store.resolve(conflict, keep: winner, remote: rig.remote.url)
    if side == .local {
      try await rig.write("a", title: "mine again")
    } else {
      try await rig.theirs("a") { $0.title = "theirs again" }
    }
    let report = try await rig.sync(.manual)
    #expect(report.outcome == .conflicts)
    #expect(!report.wroteAnything)
    let anew = try #require(try await waiting(rig).first)
    #expect(anew.local?.title == (side == .local ? "mine again" : "mine"))
    #expect(anew.remote?.title == (side == .local ? "theirs" : "theirs again"))
    try await rig.expectAtRest(.manual, outcome: .conflicts)
  }

  @Test(
    "is decided anew when the remote changes while the decision is carried out",
    arguments: [ConflictWinner.local, .remote])
  func changedWhileCarriedOut(winner: ConflictWinner) async throws {
    let rig = try await rig()
    let conflict = try await rig.store.conflict("a", remote: rig.remote.url)
    try await rig.store.resolve(conflict, keep: winner, remote: rig.remote.url)
    try await rig.once(at: winner == .local ? .write : .fetch) {
      try await rig.theirs("a") { $0.title = "theirs again" }
    }
    #expect(try await rig.sync(.manual).outcome == .conflicts)
    #expect(rig.remoteTitles["a"] == "theirs again")
    #expect(try await rig.localTitles()["a"] == "mine")
    try await rig.expectAtRest(.manual, outcome: .conflicts)
  }

  @Test("a decision made while a run is under way is not lost")
  func decidedDuringRun() async throws {
    let rig = try await rig()
    try await rig.write("c")
    try await rig.theirs("b") { $0.title = "other work" }
    try await rig.once(at: .list) {
      let conflict = try await rig.store.conflict("a", remote: rig.remote.url)
      try await rig.store.resolve(conflict, keep: .remote, remote: rig.remote.url)
    }
    _ = try await rig.sync(.manual)
    _ = try await rig.sync(.manual)
    #expect(try await rig.localTitles()["a"] == "theirs")
    try await rig.expectAtRest(.manual)
  }

  @Test("a decision outlives a run that fails")
  func decidedThenOffline() async throws {
    let rig = try await rig()
    let conflict = try await rig.store.conflict("a", remote: rig.remote.url)
    try await rig.store.resolve(conflict, keep: .local, remote: rig.remote.url)
    rig.remote.setFault { request, _ in request.writtenID == nil ? nil : .offline }
    #expect(try await rig.sync(.manual).outcome == .offline)
    rig.remote.setFault(nil)
    #expect(try await rig.sync(.manual).outcome == .inSync)
    #expect(rig.remoteTitles["a"] == "mine")
    try await rig.expectAtRest(.manual)
  }

  @Test("a decision is noticed like any local change")
  func noticed() async throws {
    let rig = try await rig()
    let url = rig.remote.url
    let before = try await rig.store.changesSince(0, remote: url).latest
    let conflict = try await rig.store.conflict("a", remote: url)
    try await rig.store.resolve(conflict, keep: .remote, remote: url)
    #expect(try await rig.store.changesSince(before, remote: url).count == 1)
  }

  @Test("is over when one side's deletion meets the other's edit: the edit is kept")
  func deleted() async throws {
    for side in Side.allCases {
      let rig = try await rig()
      if side == .local { try await rig.remove("a") } else { rig.remote.remove(try ProjectID("a")) }
      #expect(try await rig.sync(.manual).outcome == .inSync)
      #expect(try await waiting(rig).isEmpty)
      #expect(rig.remoteTitles["a"] == (side == .local ? "theirs" : "mine"))
      #expect(rig.remoteTitles == (try await rig.localTitles()))
      try await rig.expectAtRest(.manual)
    }
  }

  @Test("cannot be decided on a record that was deleted here meanwhile, nor twice")
  func notToBeDecided() async throws {
    let rig = try await rig()
    let url = rig.remote.url
    let conflict = try await rig.store.conflict("a", remote: url)
    try await rig.remove("a")
    let gone = try await rig.store.conflict("a", remote: url)
    #expect(gone.local == nil)
    await #expect(throws: SyncError.self) {
      try await rig.store.resolve(gone, keep: .local, remote: url)
    }
    try await rig.write("a", title: "again")
    try await rig.store.resolve(conflict, keep: .local, remote: url)
    await #expect(throws: SyncError.self) {
      try await rig.store.resolve(conflict, keep: .remote, remote: url)
    }
    await #expect(throws: SyncError.self) { try await rig.store.conflict("a", remote: url) }
    await #expect(throws: SyncError.self) { try await rig.store.conflict("b", remote: url) }
    await #expect(throws: SyncError.self) { try await rig.store.conflict("none", remote: url) }
  }

  @Test("on first contact has no version before, and is decided between the two")
  func firstContact() async throws {
    let rig = try await Rig(local: ["a"])
    try await rig.theirs("a") { $0.title = "theirs" }
    #expect(try await rig.sync(.manual).outcome == .conflicts)
    let conflict = try await rig.store.conflict("a", remote: rig.remote.url)
    #expect(conflict.base == nil && conflict.merge == nil)
    await #expect(throws: SyncError.self) {
      try await rig.store.resolve(conflict, keep: .merged, remote: rig.remote.url)
    }
    try await rig.store.resolve(conflict, keep: .remote, remote: rig.remote.url)
    #expect(try await rig.sync(.manual).outcome == .inSync)
    #expect(try await rig.localTitles()["a"] == "theirs")
    try await rig.expectAtRest(.manual)
  }

  @Test("with two remotes each has its own")
  func twoRemotes() async throws {
    let one = try await rig()
    let other = Rig(store: one.store, remote: MemoryRemote(url: "memory://other"))
    other.remote.put(try other.project("a", title: "elsewhere", stamp: 3))
    #expect(try await other.sync(.manual).outcome == .conflicts)
    #expect(try await waiting(one).first?.remote?.title == "theirs")
    #expect(try await waiting(other).first?.remote?.title == "elsewhere")
    let conflict = try await one.store.conflict("a", remote: other.remote.url)
    try await one.store.resolve(conflict, keep: .remote, remote: other.remote.url)
    #expect(try await waiting(one).count == 1)
    #expect(try await other.sync(.manual).outcome == .inSync)
    #expect(try await one.localTitles()["a"] == "elsewhere")
    #expect(try await one.sync(.manual).outcome == .conflicts)
    try await other.expectAtRest(.manual)
  }
}
