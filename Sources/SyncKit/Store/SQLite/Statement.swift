internal import CSQLite

/// A value to bind.
package enum SQLValue: Sendable, Equatable, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(stringLiteral value: String) { self = .text(value) }
  package init(nilLiteral: ()) { self = .null }

  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  package init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}

/// A prepared statement. Columns are read between `step()` and the next `step()` or `reset()`.
package final class Statement {
  private let handle: OpaquePointer
  private unowned let database: Database
  private let sql: String

  init(_ sql: String, database: Database) throws(DatabaseError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw database.error(code, sql) }
    self.handle = handle
    self.database = database
    self.sql = sql
  }

  deinit {
    sqlite3_finalize(handle)
  }

  // MARK: Binding: parameters count from 1

  package func bind(_ values: [SQLValue]) throws(DatabaseError) {
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
  }

  package func bind(_ value: SQLValue, at index: Int32) throws(DatabaseError) {
    switch value {
    case .null: try check(sqlite3_bind_null(handle, index))
    case .integer(let value): try bind(value, at: index)
    case .real(let value): try check(sqlite3_bind_double(handle, index, value))
    case .text(let value): try bind(value, at: index)
    case .blob(let value):
      try check(syncd_sqlite3_bind_blob(handle, index, value, Int32(clamping: value.count)))
    }
  }

  package func bind(_ value: Int64, at index: Int32) throws(DatabaseError) {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  package func bind(_ value: String, at index: Int32) throws(DatabaseError) {
    var value = value
    let code = value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        syncd_sqlite3_bind_text(handle, index, text.baseAddress, Int32(clamping: text.count))
      }
    }
    try check(code)
  }

  package func bind(blob value: [UInt8], at index: Int32) throws(DatabaseError) {
    try check(syncd_sqlite3_bind_blob(handle, index, value, Int32(clamping: value.count)))
  }

  // MARK: Running

  /// Goes to the next row; false when there is none.
  package func step() throws(DatabaseError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let error = database.error(code, sql)
    sqlite3_reset(handle)
    throw error
  }

  /// Makes the statement ready to run again; bindings stay.
  package func reset() {
    sqlite3_reset(handle)
  }

  /// Makes the statement ready to run again, and lets go of what was bound, which may be large.
  package func clear() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// Runs once with these values and makes ready to run again.
  package func run(_ values: [SQLValue]) throws(DatabaseError) {
    defer { clear() }
    try bind(values)
    while try step() {}
  }

  /// Runs once with what `body` binds, for statements that run for every record.
  package func run(
    binding body: (Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    defer { clear() }
    try body(self)
    while try step() {}
  }

  // MARK: Columns: they count from 0

  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  package func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  /// The column's text; bytes that are not UTF-8 are repaired, NUL characters are kept.
  package func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package func optionalText(_ column: Int32) -> String? {
    isNull(column) ? nil : text(column)
  }

  /// The bytes of a blob or of a text.
  package func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Compares a column with text, byte by byte, without making a string of it.
  package func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let start = sqlite3_column_blob(handle, column)
    return body(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  private func check(_ code: Int32) throws(DatabaseError) {
    if code != SQLITE_OK { throw database.error(code, sql) }
  }
}
