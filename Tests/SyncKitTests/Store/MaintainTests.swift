import TestSupport
import Testing

@testable import SyncKit

@Suite("The store is looked after")
struct MaintainTests {
  private let day: Int64 = 86_400_000_000

  /// A store whose project has so many superseded versions, one a day, the newest today.
  private func store(versions: Int) async throws -> (store: LocalStore, now: Timestamp) {
    let store = try LocalStore(inMemory: ())
    let now = Timestamp(microseconds: 1_800_000_000_000_000)
    for number in 0..<versions {
      try await store.sql(
        """
        INSERT INTO syncd_history(id, title, updated_at, origin, reason, at)
          VALUES(?, 'old', ?, 'local', 'edited', ?)
        """,
        [
          .text("p\(number % 100)"), .integer(Int64(number)),
          .integer(now.microseconds - Int64(number) * day),
        ])
    }
    return (store, now)
  }

  @Test("versions past their time are forgotten, however many, and no others")
  func history() async throws {
    let (store, now) = try await store(versions: 1700)
    try await store.maintain(historyKeep: .seconds(90 * 86_400), at: now)
    #expect(try await store.number("SELECT count(*) FROM syncd_history") == 91)
    try await store.maintain(historyKeep: .seconds(90 * 86_400), at: now)
    #expect(try await store.number("SELECT count(*) FROM syncd_history") == 91)
  }

  @Test("the version that a remote still knows is kept, whatever its age")
  func base() async throws {
    let (store, now) = try await store(versions: 1000)
    let key = try await store.openRemote(url: "memory://a", remoteID: nil, dialect: "memory")
    try await store.sql(
      """
      INSERT INTO syncd_base(remote, id, local_updated_at, remote_version, same)
        VALUES(?, 'p99', 999, 'v', 1)
      """, [.integer(key)])
    try await store.maintain(historyKeep: .seconds(86_400), at: now)
    #expect(try await store.number("SELECT count(*) FROM syncd_history WHERE id='p99'") == 1)
  }

  @Test("the write-ahead log goes into the file")
  func checkpoint() async throws {
    let folder = try TemporaryFolder()
    let store = try LocalStore(path: folder.file("projects.db"))
    for number in 0..<50 { try await store.sql("INSERT INTO projects(id) VALUES('p\(number)')") }
    try await store.maintain(historyKeep: .seconds(86_400), at: SystemTime().now)
    // The file alone, without its log.
    try folder.copy("projects.db", to: "copy.db")
    let copy = try Database(path: folder.file("copy.db"))
    #expect(try copy.integer("SELECT count(*) FROM projects") == 50)
  }

  @Test("a writer that holds the lock is not waited for beyond the usual, and is not disturbed")
  func writers() async throws {
    let files = try TemporaryStore()
    let other = try files.connect()
    let store = try files.open(busyTimeout: .zero)
    try other.execute("BEGIN IMMEDIATE; INSERT INTO projects(id) VALUES('a')")
    await #expect(throws: SyncError.self) {
      try await store.maintain(historyKeep: .zero, at: SystemTime().now)
    }
    try other.execute("COMMIT")
    try await store.maintain(historyKeep: .zero, at: SystemTime().now)
    #expect(try await store.number("SELECT count(*) FROM projects") == 1)
  }
}
