internal import CSQLite

/// `fill STORE COUNT`: writes projects into a store by plain SQL, as any program may. Prints the
/// bytes of the same projects as lines of JSON.
enum Fill {
  static func run(_ words: [String]) throws {
    guard words.count == 2, let count = Int(words[1]) else {
      throw BenchError("usage: fill STORE COUNT")
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
    let rows = try store.prepare("SELECT \(RowEncoder.columns) FROM projects")
    defer { sqlite3_finalize(rows) }
    var (line, bytes): ([UInt8], Int) = ([], 0)
    while sqlite3_step(rows) == SQLITE_ROW {
      line.removeAll(keepingCapacity: true)
      RowEncoder.append(rows, to: &line)
      bytes += line.count
    }
    print(bytes)
  }
}
