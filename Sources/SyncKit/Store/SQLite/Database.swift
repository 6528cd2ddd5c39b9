internal import CSQLite

/// One SQLite connection. Not shared: whoever owns it serializes its use.
package final class Database {
  let handle: OpaquePointer
  package let path: String
  package let logPages = LogPages()
  private var cache: [String: Statement] = [:]
  private var constants: [UnsafePointer<UInt8>: Statement] = [:]

  package enum Access: Sendable {
    case readWrite
    /// Writes nothing to the file, not even a checkpoint on closing.
    case readOnly
  }

  /// Opens a database, creating the file when it may be written.
  ///
  /// - Parameters:
  ///   - busyTimeout: milliseconds to wait for another connection's lock.
  ///   - fileSystem: the name of the file system (SQLite's VFS) to use; nil for the default one.
  /// - Throws: `DatabaseError`.
  package init(
    path: String, access: Access = .readWrite, busyTimeout: Int32 = 5000, fileSystem: String? = nil
  ) throws(DatabaseError) {
    var handle: OpaquePointer?
    let flags =
      switch access {
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    let code = sqlite3_open_v2(
      path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, fileSystem)
    guard code == SQLITE_OK, let handle else {
      let error = DatabaseError(code: code, handle: handle, path: path)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    self.path = path
    sqlite3_busy_timeout(handle, busyTimeout)
    if access == .readOnly { keepLogOnClosing(true) }
    // No SQL can damage the file. The schema is trusted: with `trusted_schema` off, SQLite up to
    // 3.40 refuses `json_valid` in a CHECK, and the triggers of other programs would fail as well.
    _ = syncd_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
  }

  /// Has SQLite keep no account of its memory in this process, which would take a lock for each piece
  /// of it. For programs of our own, before the first connection: the setting is the whole process's.
  package static func keepNoAccounts() {
    _ = syncd_sqlite3_config_int(SQLITE_CONFIG_MEMSTATUS, 0)
  }

  /// The first bytes of the file, zeros where it ends before them. Takes no lock.
  package func start(bytes count: Int) throws(DatabaseError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let code = syncd_sqlite3_start(handle, &bytes, Int32(clamping: count))
    guard code == SQLITE_OK else {
      throw DatabaseError(code: code, handle: handle, path: path)
    }
    return bytes
  }

  deinit {
    cache.removeAll()
    constants.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Whether closing leaves the write-ahead log as it is; else the last connection brings it into the
  /// file.
  package func keepLogOnClosing(_ keeps: Bool) {
    _ = syncd_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps ? 1 : 0)
  }

  /// Runs statements that return nothing.
  package func execute(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, sql) }
  }

  /// Prepares a statement, once for each text. It must be idle: reset or fresh.
  package func prepare(_ sql: String) throws(DatabaseError) -> Statement {
    if let cached = cache[sql] { return cached }
    let statement = try Statement(sql, database: self)
    cache[sql] = statement
    return statement
  }

  /// Prepares a statement that runs for every record: it is found by the address of its text, which
  /// costs less than the text itself.
  package func prepare(constant sql: StaticString) throws(DatabaseError) -> Statement {
    if let cached = constants[sql.utf8Start] { return cached }
    let statement = try Statement(sql.description, database: self)
    constants[sql.utf8Start] = statement
    return statement
  }

  /// Runs one statement with its parameters bound.
  package func run(_ sql: String, _ values: [SQLValue] = []) throws(DatabaseError) {
    try prepare(sql).run(values)
  }

  /// The first column of the first row as an integer; nil when there is no row, or NULL.
  package func integer(_ sql: String, _ values: [SQLValue] = []) throws(DatabaseError) -> Int64? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  /// The first column of the first row as text; nil when there is no row, or NULL.
  package func text(_ sql: String, _ values: [SQLValue] = []) throws(DatabaseError) -> String? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? statement.optionalText(0) : nil
  }

  package enum TransactionKind: String { case deferred, immediate }

  /// Runs `body` in a transaction; a throw rolls everything back.
  package func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    try execute("BEGIN \(kind.rawValue)")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A full disk may have rolled back already.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Brings the write-ahead log into the file, as far as nobody has to wait for it.
  package func checkpoint() throws(DatabaseError) {
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    guard code == SQLITE_OK else { throw error(code, "wal_checkpoint") }
  }

  /// How many pages the write-ahead log holds, as of this connection's last commit; counted once
  /// this has been called, and SQLite then brings none of them into the file by itself.
  package func countLogPages() {
    let pages = Unmanaged.passUnretained(logPages).toOpaque()
    sqlite3_wal_hook(
      handle,
      { context, _, _, count in
        guard let context else { return SQLITE_OK }
        Unmanaged<LogPages>.fromOpaque(context).takeUnretainedValue().count = Int(count)
        return SQLITE_OK
      }, pages)
  }

  package final class LogPages {
    package fileprivate(set) var count = 0
  }

  /// Rows changed by the last statement.
  package var changes: Int { Int(sqlite3_changes(handle)) }

  /// The key of the row that was last inserted into a table with one.
  package var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Makes a statement that runs on another thread fail with `interrupted`.
  package func interrupt() {
    sqlite3_interrupt(handle)
  }

  func error(_ code: Int32, _ sql: String) -> DatabaseError {
    DatabaseError(code: code, handle: handle, path: path, sql: sql)
  }
}
