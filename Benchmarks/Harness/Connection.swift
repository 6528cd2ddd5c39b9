internal import CSQLite

/// A connection to an SQLite file, as thin as a floor wants it.
final class Connection {
  let handle: OpaquePointer

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw BenchError("\(path): cannot be opened")
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 5000)
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(sql)
    }
    return statement
  }

  /// Runs a statement that returns no rows, and makes it ready again.
  func run(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure("a statement") }
  }

  func failure(_ sql: String) -> BenchError {
    BenchError("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
  }
}

extension OpaquePointer {
  /// The text of a column of the row that a statement stands at; empty for NULL.
  func text(_ column: Int32) -> String {
    sqlite3_column_text(self, column).map { String(cString: $0) } ?? ""
  }

  /// Binds text to a parameter of a statement.
  func bind(_ text: String, at index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = syncd_sqlite3_bind_text(self, index, $0.baseAddress, Int32($0.count))
      }
    }
  }
}
