internal import CSQLite

/// What SQLite refused to do, and on which file.
package struct DatabaseError: Error, CustomStringConvertible {
  package enum Kind: Sendable, Equatable {
    /// Another connection held a lock for longer than the busy timeout.
    case busy
    /// The disk or a quota is full.
    case full
    /// The file is damaged, or is no database.
    case damaged
    /// The file cannot be opened, read or written.
    case inaccessible
    /// A constraint of the schema refused the row.
    case constraint
    /// `interrupt()` was called.
    case interrupted
    case other
  }

  package let kind: Kind
  /// SQLite's extended result code.
  package let code: Int32
  package let message: String
  package let path: String
  package let sql: String?

  init(code: Int32, handle: OpaquePointer?, path: String, sql: String? = nil) {
    self.code = code
    self.path = path
    self.sql = sql
    message =
      handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    kind =
      switch code & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_FULL: .full
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_IOERR, SQLITE_PERM, SQLITE_AUTH: .inaccessible
      case SQLITE_CONSTRAINT: .constraint
      case SQLITE_INTERRUPT: .interrupted
      default: .other
      }
  }

  package var description: String { "\(path): \(message)" }
}
