import SyncKit
import Testing

@testable import SyncKit

@Suite("Plain SQL in the table projects")
struct RawSQLTests {
  let store: TemporaryStore
  let database: Database

  init() throws {
    store = try TemporaryStore()
    database = try store.connect()
  }

  @Test("a title makes a whole project")
  func wholeProject() throws {
    let before = try #require(try database.integer("SELECT \(Schema.now)"))
    try database.execute("INSERT INTO projects(title) VALUES('x')")
    let row = try #require(
      try database.rows("SELECT \(ProjectRow.columns) FROM projects", columns: 8).first)
    let id = Array(row[0].utf8)
    #expect(id.count == 36 && id[14] == UInt8(ascii: "7"))
    #expect("89ab".utf8.contains(id[19]) && row[0] == row[0].lowercased())
    let milliseconds = try #require(Int64(row[0].prefix(13).filter { $0 != "-" }, radix: 16))
    #expect(milliseconds >= before / 1000 && milliseconds < before / 1000 + 60_000)
    #expect(row[1...4] == ["x", "", "todo", "-"] && row[5] == row[6] && row[7] == "-")
    #expect(try #require(Int64(row[6])) >= before)
  }

  @Test("ids are made one for each row, in order of time")
  func distinctIDs() throws {
    try database.execute(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1000)
        INSERT INTO projects(title) SELECT i FROM n
      """)
    #expect(try database.integer("SELECT count(DISTINCT id) FROM projects") == 1000)
  }

  @Test("NULL in place of an id or a stamp is filled in")
  func explicitNulls() throws {
    try database.execute(
      "INSERT INTO projects(id,title,created_at,updated_at) VALUES(NULL,'x',NULL,NULL)")
    try database.execute("UPDATE projects SET created_at=NULL, updated_at=NULL")
    #expect(
      try database.integer(
        "SELECT count(*) FROM projects WHERE id>'' AND created_at>0 AND updated_at>created_at")
        == 1)
  }

  @Test(
    "an id that cannot be one is refused",
    arguments: [
      "''", "char(10)||'a'", "'a'||char(127)", "'a'||char(0)||'b'", "char(133)",
      "CAST(x'ff' AS TEXT)", "CAST(x'61a5' AS TEXT)", "CAST(x'e3a1' AS TEXT)",
      "CAST(x'eda080' AS TEXT)", "CAST(x'c0af' AS TEXT)", "CAST(x'f09f97' AS TEXT)",
    ])
  func refusedIDs(id: String) throws {
    #expect(throws: DatabaseError.self) {
      try database.execute("INSERT INTO projects(id) VALUES(\(id))")
    }
    try database.execute("INSERT INTO projects(id) VALUES('fine')")
    #expect(throws: DatabaseError.self) { try database.execute("UPDATE projects SET id=\(id)") }
  }

  @Test("ids are bytes: 255 of them, and é in both its spellings, are fine")
  func acceptedIDs() throws {
    let ids = [
      "a/b", "..", "%2e%2e", "a b", " a", "\u{E9}", "e\u{301}", "ABC", "abc", "프로젝트", "🗓",
      String(repeating: "é", count: 127) + "x",
    ]
    for id in ids { try database.run("INSERT INTO projects(id) VALUES(?)", [.text(id)]) }
    #expect(try database.integer("SELECT count(*) FROM projects") == Int64(ids.count))
    #expect(throws: DatabaseError.self) {
      try database.run(
        "INSERT INTO projects(id) VALUES(?)", [.text(String(repeating: "é", count: 128))])
    }
  }

  @Test("extra is a JSON object or nothing")
  func extra() throws {
    try database.execute("INSERT INTO projects(id,extra) VALUES('a','{\"n\":1.10}')")
    for bad in ["[1]", "1", "{", "\"x\"", ""] {
      #expect(throws: DatabaseError.self) {
        try database.run("INSERT INTO projects(extra) VALUES(?)", [.text(bad)])
      }
    }
  }

  @Test("an edit moves the stamp forward; one that changes nothing does not")
  func stamps() throws {
    try database.execute("INSERT INTO projects(id,title,updated_at) VALUES('a','x',7)")
    #expect(try database.stamp("a") == 7)
    try database.execute("UPDATE projects SET title='x'")
    #expect(try database.stamp("a") == 7)
    try database.execute("UPDATE projects SET title='y'")
    let first = try database.stamp("a")
    #expect(first > 1_000_000_000_000_000)
    try database.execute("UPDATE projects SET title='z', updated_at=9")
    let second = try database.stamp("a")
    #expect(second > first)
    try database.execute("UPDATE projects SET body='b', updated_at=\(second + 5)")
    #expect(try database.stamp("a") == second + 5)
    #expect(try database.integer("SELECT count(*) FROM syncd_history") == 3)
  }

  @Test(
    "with the clock far behind the stamp, edits still count up",
    arguments: [4_070_908_800_000_000, 253_402_300_799_999_999] as [Int64])
  func clockBehind(stamp: Int64) throws {
    try database.execute("INSERT INTO projects(id,updated_at) VALUES('a',\(stamp))")
    for step in 1...3 {
      try database.execute("UPDATE projects SET title='\(step)'")
      #expect(try database.stamp("a") == stamp + Int64(step))
    }
  }

  @Test("even past the last stamp there is, an edit has another stamp")
  func lastStamp() throws {
    try database.execute("INSERT INTO projects(id,updated_at) VALUES('a',\(Int64.max))")
    try database.execute("UPDATE projects SET title='x'")
    #expect(try database.stamp("a") != Int64.max)
  }

  @Test("two programs that edit within one tick leave two stamps")
  func oneTick() throws {
    let other = try Database(path: store.path)
    try database.execute("INSERT INTO projects(id) VALUES('a')")
    var stamps: Set<Int64> = []
    for turn in 0..<20 {
      try (turn % 2 == 0 ? database : other).execute("UPDATE projects SET title='\(turn)'")
      stamps.insert(try database.stamp("a"))
    }
    #expect(stamps.count == 20)
  }

  @Test("a deleted id that is made again has a later stamp, unless it is the version that was")
  func recreated() throws {
    try database.execute(
      "INSERT INTO projects(id,title,created_at,updated_at) VALUES('a','x',1,900)")
    try database.execute("DELETE FROM projects")
    try database.execute(
      "INSERT INTO projects(id,title,created_at,updated_at) VALUES('a','x',1,900)")
    #expect(try database.stamp("a") == 900)
    try database.execute("DELETE FROM projects")
    try database.execute(
      "INSERT INTO projects(id,title,created_at,updated_at) VALUES('a','y',1,900)")
    #expect(try database.stamp("a") > 900)
    #expect(try database.text("SELECT operation FROM syncd_journal WHERE id='a'") == "put")
  }

  @Test("what a remote agreed to is never mistaken for what took its place")
  func recreatedAfterHistoryWent() throws {
    try database.execute(
      """
      INSERT INTO projects(id,title,updated_at) VALUES('a','x',900);
      INSERT INTO syncd_remote(key,url) VALUES(1,'u');
      INSERT INTO syncd_base(remote, id, local_updated_at, remote_version, same)
        VALUES(1,'a',900,'v',1);
      DELETE FROM projects; DELETE FROM syncd_history;
      INSERT INTO projects(id,title,updated_at) VALUES('a','other',900);
      """)
    #expect(try database.stamp("a") > 900)
  }

  @Test("INSERT OR REPLACE keeps what it replaces", arguments: [false, true])
  func replace(recursiveTriggers: Bool) throws {
    try database.execute("PRAGMA recursive_triggers=\(recursiveTriggers)")
    try database.execute("INSERT INTO projects(id,title) VALUES('a','x')")
    let stamp = try database.stamp("a")
    try database.execute("REPLACE INTO projects(id,title) VALUES('a','y')")
    #expect(try database.stamp("a") > stamp)
    let history = try database.rows(
      "SELECT title, origin, updated_at FROM syncd_history", columns: 3)
    #expect(history == [["x", "local", String(stamp)]])
    #expect(
      try database.rows("SELECT id, operation FROM syncd_journal", columns: 2) == [["a", "put"]])
  }

  @Test("INSERT OR IGNORE and upserts leave no version that never was")
  func ignore() throws {
    try database.execute("INSERT INTO projects(id,title) VALUES('a','x')")
    let stamp = try database.stamp("a")
    try database.execute("INSERT OR IGNORE INTO projects(id,title) VALUES('a','y')")
    try database.execute("INSERT INTO projects(id) VALUES('a') ON CONFLICT DO NOTHING")
    #expect(try database.integer("SELECT count(*) FROM syncd_history") == 0)
    #expect(try database.stamp("a") == stamp)
    try database.execute(
      "INSERT INTO projects(id,title) VALUES('a','z') ON CONFLICT DO UPDATE SET title=excluded.title"
    )
    try database.execute("DELETE FROM projects")
    try database.execute("INSERT INTO projects(id,title) VALUES('a','w')")
    #expect(
      try database.rows("SELECT title, reason FROM syncd_history", columns: 2)
        == [["x", "edited"], ["z", "deleted"]])
  }

  @Test("a changed id is a deletion and a new project")
  func renamed() throws {
    try database.execute("INSERT INTO projects(id,title) VALUES('a','x'),('b','y')")
    let stamp = try database.stamp("a")
    try database.execute("UPDATE OR REPLACE projects SET id='b' WHERE id='a'")
    #expect(try database.stamp("b") > stamp)
    #expect(
      try database.rows("SELECT id, operation FROM syncd_journal", columns: 2)
        == [["a", "delete"], ["b", "put"]])
    #expect(
      try database.rows("SELECT id, title, reason FROM syncd_history ORDER BY id", columns: 3)
        == [["a", "x", "deleted"], ["b", "y", "replaced"]])
  }

  @Test("the journal has one entry for an id: the newest change, since the oldest")
  func coalesced() throws {
    try database.execute(
      """
      INSERT INTO projects(id) VALUES('a');
      UPDATE syncd_journal SET since=5;
      UPDATE projects SET title='x';
      INSERT OR REPLACE INTO projects(id,title) VALUES('a','y');
      INSERT OR REPLACE INTO projects(id,title) VALUES('b','y');
      """)
    #expect(
      try database.rows("SELECT id, operation, since=5, seq FROM syncd_journal", columns: 3)
        == [["a", "put", "1"], ["b", "put", "0"]])
    try database.execute("DELETE FROM projects WHERE id='a'")
    #expect(
      try database.rows("SELECT operation, since FROM syncd_journal WHERE id='a'", columns: 2)
        == [["delete", "5"]])
    let newest = try database.text("SELECT id FROM syncd_journal ORDER BY seq DESC LIMIT 1")
    #expect(newest == "a")
  }

  @Test("200 superseded versions are kept, and the one a remote knows")
  func bounded() throws {
    try database.execute(
      """
      INSERT INTO projects(id,title,updated_at) VALUES('a','agreed',900);
      INSERT INTO syncd_remote(key,url) VALUES(1,'u');
      INSERT INTO syncd_base(remote, id, local_updated_at, remote_version, same)
        VALUES(1,'a',900,'v',1);
      """)
    for turn in 0..<230 { try database.execute("UPDATE projects SET title='\(turn)'") }
    #expect(try database.integer("SELECT count(*) FROM syncd_history") == 201)
    #expect(try database.text("SELECT title FROM syncd_history ORDER BY version") == "agreed")
  }

  @Test("a transaction that is rolled back leaves nothing")
  func rolledBack() throws {
    try database.execute("BEGIN; INSERT INTO projects(id) VALUES('a'); ROLLBACK")
    #expect(try database.integer("SELECT count(*) FROM syncd_journal") == 0)
  }
}
