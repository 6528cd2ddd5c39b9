import Synchronization
import TestSupport
import Testing

@testable import SyncKit

@Suite("Conflicts under the policy merge")
struct MergeTests {
  /// A rig whose project `a` got another title here and another body there.
  private func rig(
    titleThere: String? = nil, _ change: (MemoryRemote) -> Void = { _ in }
  ) async throws -> Rig {
    let rig = try await Rig(local: ["a", "b"])
    change(rig.remote)
    _ = try await rig.sync(.merge)
    try await rig.write("a", title: "mine")
    try await rig.theirs("a") {
      $0.body = "theirs"
      if let titleThere { $0.title = titleThere }
    }
    return rig
  }

  private func local(_ rig: Rig) async throws -> Project {
    try #require(try await rig.store.project(ProjectID("a")))
  }

  private func remote(_ rig: Rig) throws -> Project {
    try #require(rig.remote.projects[ProjectID("a")])
  }

  private func expectMerged(_ rig: Rig) async throws {
    for project in [try await local(rig), try remote(rig)] {
      #expect(project.title == "mine" && project.body == "theirs")
    }
    try await rig.expectAtRest(.merge)
  }

  @Test(
    "both changes are on both sides after one run, and both versions in the history",
    arguments: [true, false], [true, false])
  func merged(listsRecords: Bool, hasETags: Bool) async throws {
    let rig = try await rig { remote in
      remote.behaviour.listsRecords = listsRecords
      remote.behaviour.hasETags = hasETags
    }
    let before = try await local(rig).updatedAt
    let plan = try await rig.engine(.merge).plan()
    let id = try ProjectID("a")
    #expect(plan.conflicts == [SyncPlan.Conflict(id: id, winner: .merged)])
    #expect(plan.local.update == [id] && plan.remote.update == [id])
    let report = try await rig.sync(.merge)
    #expect(report.outcome == .inSync && report.conflicts == 1)
    #expect(report.local.updated == 1 && report.remote.updated == 1)
    #expect(try await local(rig).updatedAt > before)
    let history = try await rig.store.history(of: id).filter { $0.reason == .merged }
    #expect(Set(history.map(\.origin)) == [.local, .remote] && history.count == 2)
    #expect(history.first { $0.origin == .local }?.project.title == "mine")
    #expect(history.first { $0.origin == .remote }?.project.body == "theirs")
    try await expectMerged(rig)
  }

  @Test("a plan writes nothing, neither here nor there", arguments: [SyncOptions.merge, .manual])
  func planOnly(options: SyncOptions) async throws {
    let rig = try await rig()
    rig.remote.clearLog()
    let before = try await rig.store.history(of: ProjectID("a"))
    #expect(try await rig.engine(options).plan().conflicts.count == 1)
    #expect(try await rig.store.history(of: ProjectID("a")) == before)
    #expect(try await local(rig).body.isEmpty && rig.remote.writes.isEmpty)
    #expect(try await rig.store.number("SELECT count(*) FROM syncd_set_aside") == 0)
  }

  @Test("a version merged before stays the base, however old, until the merged one is sent")
  func oldBase() async throws {
    let rig = try await rig()
    rig.remote.setFault { request, _ in request.writtenID == nil ? nil : .offline }
    _ = try await rig.sync(.merge)
    try await rig.store.maintain(historyKeep: .zero, at: Timestamp(microseconds: .max))
    rig.remote.setFault(nil)
    try await rig.theirs("a") { $0.state = "done" }
    #expect(try await rig.sync(.merge).outcome == .inSync)
    #expect(try remote(rig).state == "done")
    try await expectMerged(rig)
  }

  @Test("one field changed apart goes by the newer, and is reported")
  func clash() async throws {
    let rig = try await rig(titleThere: "their title")
    #expect(try await rig.sync(.merge).conflicts == 1)
    try await expectMerged(rig)
  }

  @Test("where one side has all changes already, the other is updated")
  func onlyUpdate() async throws {
    let rig = try await rig(titleThere: "mine")
    let report = try await rig.sync(.merge)
    #expect(report.conflicts == 0 && report.local.updated == 1 && report.remote.total == 0)
    try await expectMerged(rig)
  }

  @Test("where what was agreed before is not known, the newer version wins as a whole")
  func noBase() async throws {
    let rig = try await Rig(local: ["a"])
    try await rig.theirs("a") { $0.body = "theirs" }
    try await rig.write("a", title: "mine")
    #expect(try await rig.sync(.merge).conflicts == 1)
    #expect(try remote(rig).title == "mine" && (try remote(rig).body.isEmpty))
    let history = try await rig.store.history(of: ProjectID("a"))
    #expect(history.contains { $0.project.body == "theirs" })
    try await rig.expectAtRest(.merge)
  }

  @Test("a run that is cut off after the merge leaves an ordinary pending edit")
  func cutOff() async throws {
    let rig = try await rig()
    rig.remote.setFault { request, _ in request.writtenID == nil ? nil : .offline }
    #expect(try await rig.sync(.merge).outcome == .offline)
    #expect(try await local(rig).body == "theirs")
    #expect(try await rig.store.status(remote: rig.remote.url).pending == 1)
    rig.remote.setFault(nil)
    rig.remote.clearLog()
    let report = try await rig.sync(.newest)
    #expect(report.remote.updated == 1 && report.conflicts == 0)
    // The remote's version is in the history already: it need not be fetched.
    #expect(!rig.remote.log.contains { if case .fetch = $0 { true } else { false } })
    try await expectMerged(rig)
  }

  @Test("what the remote got meanwhile is merged in as well, against the version merged before")
  func mergedTwice() async throws {
    let rig = try await rig()
    try await rig.once(at: .write) {
      try await rig.theirs("a") { $0.state = "done" }
    }
    #expect(try await rig.sync(.merge).outcome == .inSync)
    #expect(try remote(rig).state == "done")
    try await expectMerged(rig)
    #expect(
      try await rig.store.number(
        """
        SELECT count(*)-count(DISTINCT title||body||state||updated_at||origin) FROM syncd_history
          WHERE id='a'
        """) == 0)
  }

  @Test("what is edited here while it is merged or sent is in the next plan")
  func editedMeanwhile() async throws {
    for moment in [Rig.Moment.fetch, .write] {
      let rig = try await rig()
      try await rig.once(at: moment) {
        try await rig.store.sql("UPDATE projects SET state='doing' WHERE id='a'")
      }
      _ = try await rig.sync(.merge)
      rig.remote.setPause(nil)
      #expect(try await rig.engine(.merge).plan().hasWork)
      _ = try await rig.sync(.merge)
      #expect(try remote(rig).state == "doing")
      try await expectMerged(rig)
    }
  }

  @Test("equal stamps on both sides are merged too")
  func equalStamps() async throws {
    let rig = try await rig()
    let stamp = try await local(rig).updatedAt
    try await rig.theirs("a") { $0.updatedAt = stamp }
    _ = try await rig.sync(.merge)
    #expect(try await local(rig).updatedAt > stamp)
    try await expectMerged(rig)
    // And against the right version after that.
    try await rig.write("a", title: "mine 2")
    try await rig.theirs("a") { $0.body = "theirs 2" }
    _ = try await rig.sync(.merge)
    #expect(try remote(rig).title == "mine 2" && (try remote(rig).body == "theirs 2"))
    try await rig.expectAtRest(.merge)
  }

  @Test("a stamp that cannot be outdone does not keep the merged version from being sent")
  func lastStamp() async throws {
    let rig = try await rig()
    try await rig.theirs("a") { $0.updatedAt = Timestamp(microseconds: .max) }
    _ = try await rig.sync(.merge)
    #expect(try remote(rig).title == "mine" && (try remote(rig).body == "theirs"))
    try await rig.expectAtRest(.merge)
  }

  @Test("a conflict that waited is merged once the rules say so, and nothing is kept twice")
  func waitedBefore() async throws {
    let rig = try await rig()
    #expect(try await rig.sync(.manual).outcome == .conflicts)
    _ = try await rig.sync(.merge)
    #expect(try await rig.store.conflicts(remote: rig.remote.url).isEmpty)
    let remotes = try await rig.store.history(of: ProjectID("a")).filter { $0.origin == .remote }
    #expect(remotes.map(\.reason) == [.merged])
    try await expectMerged(rig)
  }

  @Test("two devices that edit different fields over and over end with the changes of both")
  func devices() async throws {
    let one = try await Rig(local: ["a"])
    _ = try await one.sync(.merge)
    let two = Rig(store: try LocalStore(inMemory: ()), remote: one.remote)
    _ = try await two.sync(.merge)
    for round in 0..<10 {
      try await one.write("a", title: "title \(round)")
      try await two.store.sql("UPDATE projects SET body='body \(round)' WHERE id='a'")
      for rig in [one, two, one] { _ = try await rig.sync(.merge) }
      for project in [try await local(one), try await local(two), try remote(one)] {
        #expect(project.title == "title \(round)" && project.body == "body \(round)")
      }
      try await one.expectAtRest(.merge)
      try await two.expectAtRest(.merge)
    }
  }

  @Test("a page of many is merged and sent")
  func many() async throws {
    let ids = (0..<150).map { "p\($0)" }
    let rig = try await Rig(local: ids)
    rig.remote.behaviour.limits.writesPerRequest = 40
    _ = try await rig.sync(.merge)
    for id in ids {
      try await rig.write(id, title: "mine")
      try await rig.theirs(id) { $0.body = "theirs" }
    }
    let report = try await rig.sync(.merge)
    #expect(report.conflicts == 150 && report.remote.updated == 150)
    #expect(rig.remote.projects.values.allSatisfy { $0.title == "mine" && $0.body == "theirs" })
    try await rig.expectAtRest(.merge)
  }
}

extension SyncOptions {
  static let newest = SyncOptions(direction: .both)
}
