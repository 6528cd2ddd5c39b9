import SyncKit
import Testing

@testable import SyncKit

@Suite("Versions of the schema")
struct MigrationTests {
  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  @Test("steps are taken in order, each once, and what is there stays")
  func steps() throws {
    let database = try Database(path: store.path)
    let first = Migration(version: 1, sql: "CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    let second = Migration(version: 2, sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2")
    try Migrations(steps: [first]).run(on: database)
    for _ in 0..<2 { try Migrations(steps: [first, second]).run(on: database) }
    #expect(try database.rows("SELECT a, b FROM t", columns: 2) == [["1", "2"]])
    #expect(try database.integer("PRAGMA user_version") == 2)
  }

  @Test("a step that fails leaves the version before it, whole")
  func failing() throws {
    let database = try Database(path: store.path)
    let steps = [
      Migration(version: 1, sql: "CREATE TABLE t(a)"),
      Migration(version: 2, sql: "CREATE TABLE u(a); INSERT INTO t VALUES(1); SELECT nonsense"),
    ]
    #expect(throws: DatabaseError.self) { try Migrations(steps: steps).run(on: database) }
    #expect(try database.integer("PRAGMA user_version") == 1)
    #expect(try database.integer("SELECT count(*) FROM t") == 0)
    #expect(try database.integer("SELECT count(*) FROM sqlite_schema") == 1)
  }

  @Test("a store of version 1 comes up with its projects, history and pending changes")
  func version1() async throws {
    try load("store-v1.sql")
    let opened = try store.open()
    try await opened.check()
    let status = try await opened.status(remote: "https://example.test/v1/projects")
    #expect(status.projects == 3 && status.pending == 3 && status.id.count == 32)
    #expect(try await opened.history(of: try projectID("b")).map(\.project.title) == ["two"])
    _ = try await opened.add(ProjectDraft(title: "new"))
    #expect(try await opened.status(remote: nil).pending == 4)
    #expect(try await opened.knownRecords(remote: 1) == 2)
  }

  @Test("a store that was brought up to date has the schema of a new one")
  func sameSchema() async throws {
    try load("store-v1.sql")
    _ = try store.open()
    let other = try TemporaryStore()
    let sql = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    let upgraded = try Database(path: store.path).rows(sql, columns: 3)
    #expect(try other.connect().rows(sql, columns: 3) == upgraded)
  }

  private func load(_ fixture: String) throws {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let bytes = try #require(FileSystem.read("/\(folder)/Fixtures/\(fixture)"))
    try Database(path: store.path).execute(String(decoding: bytes, as: UTF8.self))
  }

  @Test("a store from the future is refused")
  func future() async throws {
    try store.connect().execute("PRAGMA user_version=99")
    let before = store.bytes
    let error = try await storeError { _ = try store.open() }
    #expect(error.code == .store && error.message.contains("newer version"))
    #expect(store.bytes == before)
  }

  @Test(
    "another program's database is refused and left as it is",
    arguments: [
      "CREATE TABLE projects(a)", "PRAGMA application_id=77", "PRAGMA user_version=3",
      "CREATE TABLE other(a)",
    ])
  func foreign(sql: String) async throws {
    try Database(path: store.path).execute("PRAGMA encoding='UTF-8'; \(sql); VACUUM")
    let before = store.bytes
    let error = try await storeError { _ = try store.open() }
    #expect(error.code == .store && error.message.contains("another program"))
    #expect(store.bytes == before)
  }

  @Test("a store may not be brought up to date by who may only read it")
  func readOnly() async throws {
    try store.connect().execute("PRAGMA user_version=0")
    let error = try await storeError { _ = try store.open(.readOnly) }
    #expect(error.code == .store && error.message.contains("older version"))
  }

  @Test("a new store is opened by several at once")
  func together() async throws {
    let path = store.path
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let opened = try LocalStore(path: path)
          _ = try await opened.add(ProjectDraft(title: "x"))
          return opened.storeID
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    let opened = try store.open()
    #expect(try await opened.count() == 4)
    #expect(try await opened.integer("PRAGMA user_version") == Migrations.store.newest)
  }
}
