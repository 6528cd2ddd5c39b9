import SyncKit
import Testing

@testable import SyncKit

@Suite("What a store and a remote agreed on")
struct BaseTests {
  let store: LocalStore
  let url = "https://example.test/v1/projects/"

  init() throws { store = try LocalStore(inMemory: ()) }

  private func open(_ remoteID: String? = nil) async throws -> Int64 {
    try await store.openRemote(url: url, remoteID: remoteID, dialect: "rest")
  }

  private func finish(_ remote: Int64, keep: Duration = .seconds(1 << 41)) async throws {
    try await store.finishRun(
      remote: remote, reportJSON: "{}", at: Timestamp(microseconds: 1 << 60), succeeded: true,
      collectionVersion: CollectionVersion("c"), historyKeep: keep)
  }

  private func pending() async throws -> Int { try await store.status(remote: url).pending }

  private func agreed(_ project: Project, _ version: String = "1") -> Acknowledgement {
    .agreed(
      project.id, localUpdatedAt: project.updatedAt, remoteVersion: Version(version), etag: nil,
      same: true)
  }

  private func record(
    _ id: String, _ title: String, stamp: Int64, version: String = "1"
  ) throws -> RemoteRecord {
    RemoteRecord(
      project: Project(
        id: try projectID(id), title: title, updatedAt: Timestamp(microseconds: stamp)),
      version: Version(version))
  }

  @Test("a change is pending until the remote has that very version")
  func pendingChanges() async throws {
    let project = try await store.add(ProjectDraft(title: "x"))
    #expect(try await store.status(remote: nil).pending == 1)
    #expect(try await store.status(remote: url).oldestPending != nil)
    let remote = try await open()
    #expect(try await pending() == 1)
    let edited = try await store.edit(project.id, ProjectEdit(title: "y"))
    try await store.commit([agreed(project)], remote: remote)
    #expect(try await pending() == 1)
    try await finish(remote)
    #expect(try await pending() == 1)
    try await store.commit([agreed(edited)], remote: remote)
    #expect(try await pending() == 0)
    try await finish(remote)
    #expect(try await store.integer("SELECT count(*) FROM syncd_journal") == 0)
    try await store.remove(project.id)
    #expect(try await pending() == 1)
    try await store.commit([.forgotten(project.id)], remote: remote)
    #expect(try await pending() == 0)
  }

  @Test("what was made and deleted offline is nothing")
  func madeAndDeleted() async throws {
    let project = try await store.add(ProjectDraft(title: "x"))
    try await store.remove(project.id)
    #expect(try await pending() == 0)
    try await finish(try await open())
    #expect(try await store.integer("SELECT count(*) FROM syncd_journal") == 0)
  }

  @Test("a journal entry stays until every remote agrees")
  func twoRemotes() async throws {
    let project = try await store.add(ProjectDraft(title: "x"))
    let first = try await open()
    let second = try await store.openRemote(url: "https://b.test", remoteID: nil, dialect: "rest")
    try await store.commit([agreed(project)], remote: first)
    try await finish(first)
    #expect(try await pending() == 0)
    #expect(try await store.status(remote: "https://b.test").pending == 1)
    #expect(try await store.status(remote: nil).pending == 1)
    try await store.commit([agreed(project)], remote: second)
    try await finish(second)
    #expect(try await store.integer("SELECT count(*) FROM syncd_journal") == 0)
    let change = LocalChange.put(
      try record(project.id.string, "z", stamp: 1 << 60), expected: project.updatedAt,
      reason: .overwritten)
    #expect(try await store.apply([change], remote: first) == [true])
    #expect(try await pending() == 0)
    #expect(try await store.status(remote: "https://b.test").pending == 1)
  }

  @Test("the oldest pending change is the remote's own, however long another waits")
  func oldestPending() async throws {
    let project = try await store.add(ProjectDraft(title: "x"))
    let first = try await open()
    _ = try await store.openRemote(url: "https://never.test", remoteID: nil, dialect: "rest")
    try await store.commit([agreed(project)], remote: first)
    try await finish(first)
    _ = try await store.integer("UPDATE syncd_journal SET since=1 RETURNING since")
    _ = try await store.edit(project.id, ProjectEdit(title: "y"))
    let edited = try await store.integer("SELECT at FROM syncd_history")
    #expect(try await store.status(remote: url).oldestPending?.microseconds == edited)
    #expect(try await store.status(remote: "https://never.test").oldestPending?.microseconds == 1)
  }

  @Test("the state of a remote is known by its URL, with and without the slash")
  func state() async throws {
    #expect(try await store.remoteState(url: url, remoteID: nil).key == nil)
    let remote = try await open("A")
    let project = try await store.add(ProjectDraft(title: "x"))
    try await store.commit([agreed(project)], remote: remote)
    try await store.note(conditional: true, server: nil, remote: remote)
    try await finish(remote)
    let state = try await store.remoteState(url: String(url.dropLast()), remoteID: "A")
    #expect(state.key == remote && state.hasSynced)
    #expect(state.conditional == true && state.collectionVersion == CollectionVersion("c"))
    #expect(try await store.remoteState(url: url, remoteID: nil) == state)
  }

  @Test(
    "spellings of one URL are one remote",
    arguments: [
      ("HTTP://Host.Test:80/P/", "http://host.test/P"), ("https://h:443", "https://h"),
      ("https://u:p@h/p#part", "https://h/p"), ("unix:/run/A.sock:/v1/", "unix:/run/A.sock:/v1"),
      ("memory://A", "memory://A"),
    ])
  func spellings(_ url: String, _ identity: String) async throws {
    #expect(RemoteIdentity.text(of: url) == identity)
    #expect(RemoteIdentity.text(of: identity) == identity)
    let key = try await store.openRemote(url: url, remoteID: nil, dialect: "rest")
    #expect(try await store.remoteState(url: identity, remoteID: nil).key == key)
  }

  @Test("a URL with another query is another remote, and none of it is written down")
  func queries() async throws {
    let tenants = ["secretA", "secretB"].map { "https://h.test/p?tenant=\($0)" }
    let key = try await store.openRemote(url: tenants[0], remoteID: nil, dialect: "rest")
    #expect(try await store.remoteState(url: tenants[0], remoteID: nil).key == key)
    #expect(try await store.remoteState(url: tenants[1], remoteID: nil).key == nil)
    #expect(try await store.remoteState(url: "https://h.test/p", remoteID: nil).key == nil)
    let identity = RemoteIdentity.text(of: tenants[0])
    #expect(RemoteIdentity.text(of: identity) == identity && !identity.contains("secret"))
  }

  @Test("what was found of a remote is kept while its server is the same")
  func capabilities() async throws {
    let remote = try await open()
    #expect(try await store.capabilities(remote: url) == RemoteCapabilities())
    try await store.note(conditional: true, server: "x/1", remote: remote)
    let finding = RemoteCapabilities.Finding(kind: "limit", message: "no ids with\na slash")
    try await store.note(
      [finding], server: "x/1", remote: url, at: Timestamp(microseconds: 7))
    try await store.note(conditional: nil, server: nil, remote: remote)
    try await store.note(conditional: nil, server: "x/1", remote: remote)
    var known = try await store.capabilities(remote: url)
    #expect(known.honoursConditions == true && known.server == "x/1")
    #expect(known.foundAt == Timestamp(microseconds: 7))
    #expect(known.findings.map(\.message) == ["no ids with a slash"])
    try await store.note(conditional: nil, server: "x/2", remote: remote)
    known = try await store.capabilities(remote: url)
    #expect(known.server == "x/2" && known.honoursConditions == nil)
    #expect(known.foundAt == nil && known.findings.isEmpty)
  }

  @Test("a deletion is remembered until every remote has been seen without the record")
  func deletedEverywhere() async throws {
    let project = try await store.add(ProjectDraft(title: "x"))
    let first = try await open()
    let second = try await store.openRemote(url: "https://b.test", remoteID: nil, dialect: "rest")
    try await store.remove(project.id)
    try await finish(first)
    #expect(try await store.integer("SELECT count(*) FROM syncd_journal") == 1)
    #expect(try await store.status(remote: nil).pending == 0)
    try await finish(second)
    #expect(try await store.integer("SELECT count(*) FROM syncd_journal") == 0)
  }

  @Test("another remote at the same URL is a first contact")
  func anotherRemote() async throws {
    let remote = try await open("A")
    let project = try await store.add(ProjectDraft(title: "x"))
    try await store.commit([agreed(project)], remote: remote)
    try await finish(remote)
    #expect(try await store.remoteState(url: url, remoteID: "B") == RemoteState())
    #expect(try await known("A") == 1)
    try await store.noteRolledBack(remote: remote)
    #expect(try await open("B") == remote)
    let state = try await store.remoteState(url: url, remoteID: "B")
    #expect(!state.hasSynced && state.collectionVersion == nil && !state.isRolledBack)
  }

  @Test("a remote version takes the place of the local one, which stays in the history")
  func applied() async throws {
    let remote = try await open()
    let project = try await store.add(ProjectDraft(id: try projectID("a"), title: "x"))
    let change = LocalChange.put(
      try record("a", "y", stamp: 5, version: "7"), expected: project.updatedAt, reason: .conflict)
    #expect(try await store.apply([change], remote: remote) == [true])
    let now = try #require(try await store.project(project.id))
    #expect(now.title == "y" && now.updatedAt.microseconds == 5)
    #expect(now.createdAt == project.createdAt)
    let history = try await store.history(of: project.id)
    #expect(history.map(\.project) == [project] && history.map(\.reason) == [.conflict])
    #expect(try await pending() == 0)
    #expect(try await known(nil) == 1)
    #expect(try await store.holds(version: project.updatedAt, of: project.id))
    #expect(try await store.holds(version: Timestamp(microseconds: 5), of: project.id))
    #expect(try await !store.holds(version: Timestamp(microseconds: 6), of: project.id))
    _ = try await store.edit(project.id, ProjectEdit(title: "z"))
    #expect(try await pending() == 1)
  }

  @Test("a new remote record has the remote's stamp, and a deletion leaves its copy")
  func appliedNewAndDeleted() async throws {
    let remote = try await open()
    let put = LocalChange.put(try record("a", "y", stamp: 5), expected: nil, reason: .overwritten)
    #expect(try await store.apply([put], remote: remote) == [true])
    let project = try #require(try await store.project(try projectID("a")))
    #expect(project.createdAt == project.updatedAt && project.updatedAt.microseconds == 5)
    #expect(try await store.history(of: project.id).isEmpty)
    let delete = LocalChange.delete(project.id, expected: project.updatedAt, reason: .deleted)
    #expect(try await store.apply([delete], remote: remote) == [true])
    #expect(try await store.count() == 0)
    #expect(try await store.history(of: project.id).map(\.project) == [project])
    #expect(try await known(nil) == 0)
    #expect(try await pending() == 0)
  }

  @Test("a change decided by a version that is gone is left out, and the others are made")
  func outdated() async throws {
    let remote = try await open()
    let project = try await store.add(ProjectDraft(id: try projectID("a"), title: "x"))
    let old = Timestamp(microseconds: 1)
    var refused = try record("d", "bad", stamp: 5)
    refused.project.extra = ExtraMembers(trusted: "[]")
    let changes = [
      LocalChange.put(try record("a", "y", stamp: 5), expected: old, reason: .overwritten),
      .put(try record("a", "y", stamp: 5), expected: nil, reason: .overwritten),
      .delete(project.id, expected: old, reason: .deleted),
      .put(try record("b", "y", stamp: 5), expected: old, reason: .overwritten),
      .put(refused, expected: nil, reason: .overwritten),
      .put(try record("c", "y", stamp: 5), expected: nil, reason: .overwritten),
    ]
    #expect(
      try await store.apply(changes, remote: remote) == [false, false, false, false, false, true])
    #expect(try await store.project(project.id) == project)
    #expect(try await store.count() == 2)
    #expect(try await store.history(of: project.id).isEmpty)
    #expect(try await store.integer("SELECT applying FROM syncd_store") == 0)
  }

  @Test("a version that is kept twice is there once, and goes when its time is over")
  func kept() async throws {
    let version = KeptVersion(
      project: try record("a", "y", stamp: 5).project, origin: .remote, reason: .conflict)
    try await store.keep([version, version])
    let history = try await store.history(of: version.project.id)
    #expect(history.count == 1 && history.first?.origin == .remote)
    #expect(try await !store.holds(version: Timestamp(microseconds: 5), of: version.project.id))
    let remote = try await open()
    try await finish(remote)
    #expect(try await store.history(of: version.project.id).count == 1)
    try await finish(remote, keep: .zero)
    #expect(try await store.history(of: version.project.id).isEmpty)
  }

  @Test("a version that is about to be lost again is kept for as long as a new one")
  func keptAnew() async throws {
    let version = KeptVersion(
      project: try record("a", "y", stamp: 5).project, origin: .remote, reason: .conflict)
    try await store.keep([version])
    try await store.sql("UPDATE syncd_history SET at=1")
    try await store.keep([version])
    try await store.maintain(historyKeep: .seconds(86_400), at: SystemTime().now)
    #expect(try await store.history(of: version.project.id).map(\.project) == [version.project])
  }

  @Test("remote versions are bounded as well")
  func keptBounded() async throws {
    let versions = try (1...230).map { stamp in
      KeptVersion(
        project: try record("a", "y", stamp: Int64(stamp)).project, origin: .remote,
        reason: .conflict)
    }
    try await store.keep(versions)
    #expect(try await store.history(of: try projectID("a")).count == 200)
  }

  @Test("a record set aside keeps its since while nothing about it changes")
  func setAside() async throws {
    let remote = try await open()
    var record = SetAside(
      id: "a", action: "update", status: 422, message: "no", since: Timestamp(microseconds: 1),
      localUpdatedAt: Timestamp(microseconds: 9), remoteVersion: Version("v"))
    try await store.setAside([record], remote: remote)
    let first = record
    record.since = Timestamp(microseconds: 2)
    try await store.setAside([record], remote: remote)
    #expect(try await store.setAsides(remote: remote) == [first])
    record.localUpdatedAt = Timestamp(microseconds: 10)
    let conflict = SetAside(
      id: "b", action: SetAside.conflictAction, message: "", since: Timestamp(microseconds: 3))
    try await store.setAside([record, conflict], remote: remote)
    let status = try await store.status(remote: url)
    #expect(status.setAside == [record] && status.conflicts == 1)
    #expect(try await store.setAsides(remote: remote) == [record, conflict])
  }

  @Test("the last run is remembered; one that fails does not move the last success")
  func lastRun() async throws {
    let remote = try await open()
    try await finish(remote)
    try await store.finishRun(
      remote: remote, reportJSON: #"{"outcome":"offline"}"#,
      at: Timestamp(microseconds: (1 << 60) + 1),
      succeeded: false, collectionVersion: nil, historyKeep: .seconds(1))
    let status = try await store.status(remote: url)
    #expect(status.lastRun == #"{"outcome":"offline"}"# && status.dialect == "rest")
    #expect(status.lastSuccess == Timestamp(microseconds: 1 << 60))
    #expect(status.lastRunAt == Timestamp(microseconds: (1 << 60) + 1))
  }

  /// Records in the base that would be used with this remote.
  private func known(_ remoteID: String?) async throws -> Int {
    guard let key = try await store.remoteState(url: url, remoteID: remoteID).key else { return 0 }
    return try await store.knownRecords(remote: key)
  }
}
