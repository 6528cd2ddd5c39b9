import SyncKit
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A crash while the store is written")
struct CrashTests {
  /// Cuts the write-ahead log at every frame and in the middle of every frame, as a crash or a power
  /// cut during the writing would, and opens what is left.
  @Test(
    "leaves the store as it was before or as it is after, whole",
    arguments: ["add", "edit", "remove", "replace", "commit", "apply", "merge", "finish"])
  func cutAnywhere(operation: String) async throws {
    let store = try TemporaryStore()
    let id = try projectID("a")
    let opened = try store.open()
    let project = try await opened.add(ProjectDraft(id: id, title: "before"))
    let remote = try await opened.openRemote(url: "u", remoteID: nil, dialect: "rest")
    try await opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try await digest(store.path)
    // Keeps the log from being brought into the file.
    let reader = try Database(path: store.path)
    try reader.execute("BEGIN; SELECT count(*) FROM projects")
    try await perform(operation, on: opened, project, remote)
    let log = try #require(FileSystem.read(store.path + "-wal"))
    let after = try await digest(store.path)
    #expect(before != after)

    let header = 32
    let frame = 4096 + 24
    var seen: Set<String> = []
    for cut in [0] + stride(from: header, through: log.count, by: frame / 2) {
      let crashed = try TemporaryStore()
      store.copy(to: crashed)
      _ = FileSystem.overwrite(
        crashed.path + "-wal", with: Array(log.prefix(cut)), durably: false)
      let recovered = try crashed.open()
      try await recovered.verifyIntegrity()
      try await recovered.check()
      seen.insert(try await digest(crashed.path))
    }
    #expect(seen == [before, after])
    try reader.execute("COMMIT")
  }

  @Test("in the middle of a transaction leaves nothing of it")
  func midTransaction() async throws {
    let store = try TemporaryStore()
    let opened = try store.open()
    _ = try await opened.add(ProjectDraft(title: "before"))
    // A cache too small for the transaction makes SQLite write to the log before the commit.
    try await opened.execute("PRAGMA cache_size=5; BEGIN IMMEDIATE")
    try await opened.execute("UPDATE syncd_store SET applying=1")
    for turn in 0..<50 {
      try await opened.execute(
        "INSERT INTO projects(title,body) VALUES(\(turn),hex(zeroblob(2000)))")
    }
    let crashed = try TemporaryStore()
    store.copy(to: crashed)
    let recovered = try crashed.open()
    try await recovered.check()
    #expect(try await recovered.count() == 1)
    #expect(try await recovered.integer("SELECT applying FROM syncd_store") == 0)
    try await opened.execute("ROLLBACK")
  }

  @Test("between making the file and filling it is made good by the next start")
  func halfMade() async throws {
    let store = try TemporaryStore()
    _ = try store.open()
    unlink(store.path)
    let sidecar = StoreSidecar(storePath: store.path)
    sidecar.update { $0.store = nil }
    #expect(store.overwrite([]))
    #expect(try await store.open().count() == 0)
    #expect(sidecar.read().store != nil)
  }

  private func perform(
    _ operation: String, on store: LocalStore, _ project: Project, _ remote: Int64
  ) async throws {
    let acknowledgement = Acknowledgement.agreed(
      project.id, localUpdatedAt: project.updatedAt, remoteVersion: Version("1"), etag: nil,
      same: true)
    switch operation {
    case "add": _ = try await store.add(ProjectDraft(title: "new"))
    case "edit": _ = try await store.edit(project.id, ProjectEdit(title: "after"))
    case "remove": try await store.remove(project.id)
    case "replace": try await store.execute("REPLACE INTO projects(id,title) VALUES('a','after')")
    case "commit": try await store.commit([acknowledgement], remote: remote)
    case "apply":
      let record = RemoteRecord(
        project: Project(id: project.id, title: "r", updatedAt: Timestamp(microseconds: 5)),
        version: Version("2"))
      let change = LocalChange.put(record, expected: project.updatedAt, reason: .overwritten)
      #expect(try await store.apply([change], remote: remote) == [true])
    case "merge":
      let record = RemoteRecord(
        project: Project(id: project.id, body: "r", updatedAt: Timestamp(microseconds: 5)),
        version: Version("2"))
      let merged = MergedVersion(
        project: Project(id: project.id, title: "m", body: "r", updatedAt: project.updatedAt),
        remote: record, expected: project.updatedAt)
      #expect(try await store.merge([merged], remote: remote).first??.title == "m")
    default:
      try await store.finishRun(
        remote: remote, reportJSON: "{}", at: Timestamp(microseconds: 1), succeeded: true,
        collectionVersion: nil, historyKeep: .seconds(1))
    }
  }

  /// Everything that tables hold, as text.
  private func digest(_ path: String) async throws -> String {
    let database = try Database(path: path, access: .readOnly)
    return try [
      ("SELECT \(ProjectRow.columns) FROM projects ORDER BY id", 8),
      ("SELECT id, title, updated_at, reason FROM syncd_history ORDER BY version", 4),
      ("SELECT id, seq, operation FROM syncd_journal", 3), ("SELECT * FROM syncd_base", 6),
      ("SELECT last_run, has_synced FROM syncd_remote", 2), ("SELECT seq FROM syncd_store", 1),
    ]
    .map { sql, columns in "\(try database.rows(sql, columns: Int32(columns)))" }
    .joined(separator: "\n")
  }
}
