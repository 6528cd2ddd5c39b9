internal import CSQLite

/// `lines STORE FILE [changes]`: writes projects as lines of JSON, all or those that the journal
/// names; a deleted one as a record that says nothing but its id.
enum Lines {
  static func run(_ words: [String]) throws {
    guard words.count == 2 || words.count == 3 && words[2] == "changes" else {
      throw BenchError("usage: lines STORE FILE [changes]")
    }
    let store = try Connection(words[0])
    let changed = words.count == 3 ? " WHERE id IN (SELECT id FROM syncd_journal)" : ""
    let rows = try store.prepare("SELECT \(RowEncoder.columns) FROM projects\(changed) ORDER BY id")
    defer { sqlite3_finalize(rows) }
    var lines: [UInt8] = []
    while sqlite3_step(rows) == SQLITE_ROW { RowEncoder.append(rows, to: &lines) }
    if words.count == 3 {
      let ids = try store.prepare("SELECT id FROM syncd_journal WHERE operation='delete'")
      defer { sqlite3_finalize(ids) }
      while sqlite3_step(ids) == SQLITE_ROW {
        lines += Array("{\"id\":\"\(ids.text(0))\",\"updatedAt\":\"2025-01-01T00:00:00Z\"}\n".utf8)
      }
    }
    try Files.write(String(decoding: lines, as: UTF8.self), to: words[1])
  }
}
