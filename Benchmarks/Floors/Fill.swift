internal import CSQLite

/// `fill STORE COUNT [LINES]`: writes projects into a store by plain SQL, as any program may, and
/// the same projects as lines of JSON into a file.
enum Fill {
  static func run(_ words: [String]) throws {
    guard words.count >= 2, let count = Int(words[1]) else {
      throw BenchError("usage: fill STORE COUNT [LINES]")
    }
    let store = try Connection(words[0])
    try store.execute("BEGIN IMMEDIATE")
    let insert = try store.prepare(
      "INSERT INTO projects(id, title, body, state, created_at, updated_at)"
        + " VALUES(?1, ?2, ?3, ?4, ?5, ?5)")
    defer { sqlite3_finalize(insert) }
    for n in 0..<count {
      insert.bind(Workload.id(n), at: 1)
      insert.bind(Workload.title(n), at: 2)
      insert.bind(Workload.body(n), at: 3)
      insert.bind(Workload.state(n), at: 4)
      sqlite3_bind_int64(insert, 5, Workload.stamp(n))
      try store.run(insert)
    }
    try store.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    if words.count > 2 { try writeLines(store, to: words[2]) }
  }

  private static func writeLines(_ store: Connection, to path: String) throws {
    let rows = try store.prepare("SELECT \(RowEncoder.columns) FROM projects ORDER BY id")
    defer { sqlite3_finalize(rows) }
    var lines: [UInt8] = []
    while sqlite3_step(rows) == SQLITE_ROW { RowEncoder.append(rows, to: &lines) }
    try Files.write(String(decoding: lines, as: UTF8.self), to: path)
  }
}

/// `change STORE COUNT ROUND`: of COUNT projects, edits 1 %, adds 0.5 % and deletes 0.5 %; another
/// round takes others. Prints the newest stamp that there was before.
enum Change {
  static func run(_ words: [String]) throws {
    guard words.count == 3, let count = Int(words[1]), let round = Int(words[2]), round < 50 else {
      throw BenchError("usage: change STORE COUNT ROUND")
    }
    let store = try Connection(words[0])
    try store.execute("BEGIN IMMEDIATE")
    let newest = try store.prepare("SELECT max(updated_at) FROM projects")
    defer { sqlite3_finalize(newest) }
    guard sqlite3_step(newest) == SQLITE_ROW else { throw store.failure("max(updated_at)") }
    print(sqlite3_column_int64(newest, 0))
    sqlite3_reset(newest)
    let edit = try store.prepare("UPDATE projects SET title = title || '*' WHERE id = ?1")
    let delete = try store.prepare("DELETE FROM projects WHERE id = ?1")
    let add = try store.prepare("INSERT INTO projects(id, title, body) VALUES(?1, ?2, ?3)")
    defer { for statement in [edit, delete, add] { sqlite3_finalize(statement) } }
    for n in stride(from: round, to: count, by: 100) {
      edit.bind(Workload.id(n), at: 1)
      try store.run(edit)
    }
    for n in Self.deleted(count: count, round: round) {
      delete.bind(Workload.id(n), at: 1)
      try store.run(delete)
    }
    for n in 0..<count / 200 {
      let number = count * (round + 2) + n
      add.bind(Workload.id(number), at: 1)
      add.bind(Workload.title(number), at: 2)
      add.bind(Workload.body(number), at: 3)
      try store.run(add)
    }
    try store.execute("COMMIT")
  }

  /// The numbers of the projects that a round deletes; no round edits them.
  static func deleted(count: Int, round: Int) -> [Int] {
    Array(stride(from: 50 + round, to: count, by: 200))
  }
}
