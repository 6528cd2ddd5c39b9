#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A database that has been found, or made, to be a store of ours.
struct OpenedStore {
  let path: String
  let storeID: String
  let access: LocalStore.Access
  let sidecar: StoreSidecar?
  /// How the file looked when it was found sound.
  let found: StoreFile.Finding
  let database: Database

  /// The least size of a SQLite file: one page.
  private static let leastBytes: Int64 = 512

  static func inMemory(_ access: LocalStore.Access) throws(SyncError) -> OpenedStore {
    do {
      let database = try Database(path: ":memory:")
      try configure(database)
      try Migrations.store.run(on: database)
      return OpenedStore(
        path: ":memory:", storeID: try storeID(of: database), access: access, sidecar: nil,
        found: StoreFile.Finding(), database: database)
    } catch {
      throw SyncError(.store, "a store in memory cannot be made: \(error)", underlying: error)
    }
  }

  static func open(
    _ path: String, access: LocalStore.Access, busyTimeout: Duration, fileSystem: String?
  ) throws(SyncError) -> OpenedStore {
    let sidecar = StoreSidecar(storePath: FileSystem.resolve(path))
    let isThere = try find(path, access: access, sidecar: sidecar)
    guard isThere || access == .readWrite else { return try inMemory(access) }
    if !isThere { try make(path, sidecar: sidecar) }
    let formerly = sidecar.read().store
    do {
      let database = try Database(
        path: path, access: access == .readWrite ? .readWrite : .readOnly,
        busyTimeout: Int32(clamping: busyTimeout.milliseconds), fileSystem: fileSystem)
      // Closing must not bring the log into a file that turns out to be damaged.
      database.keepLogOnClosing(true)
      if isThere { try expectHeader(database, formerly: formerly) }
      try configure(database)
      let isNew = try identify(database)
      if isNew, let formerly {
        throw SyncError(
          damaged: path, finding: "its tables are gone, but it held the store \(formerly)")
      }
      if isNew && access == .readOnly { return try inMemory(access) }
      var found =
        isNew
        ? StoreFile.Finding()
        : try StoreFile.findSound(
          database, storeID: try? storeID(of: database), sidecar: sidecar)
      database.keepLogOnClosing(access == .readOnly)
      if access == .readWrite { try prepare(database) } else { try expectCurrent(database) }
      let id = try storeID(of: database)
      if isNew {
        let lineage = try database.text("SELECT lineage FROM syncd_store")
        sidecar.update {
          $0.store = id
          $0.lineage = lineage.map { [$0] } ?? []
          $0.file = nil
        }
      }
      found.state = found.state ?? FileState(path: path)
      return OpenedStore(
        path: path, storeID: id, access: access, sidecar: sidecar, found: found,
        database: database)
    } catch let error as SyncError {
      throw error
    } catch let error as DatabaseError {
      throw SyncError(error, waited: busyTimeout)
    } catch {
      throw SyncError(.store, "\(path): \(error)", underlying: error)
    }
  }

  // MARK: The file

  /// Looks whether there is a database at `path`, before SQLite takes an empty file for a new one.
  private static func find(
    _ path: String, access: LocalStore.Access, sidecar: StoreSidecar
  ) throws(SyncError) -> Bool {
    guard let state = FileState(path: path) else {
      if errno == ENOENT || errno == ENOTDIR {
        try expectNoLog(path)
        return false
      }
      throw SyncError(
        .store, "\(path) cannot be looked at: \(FileSystem.reason); check the permissions")
    }
    let formerly = sidecar.read().store
    if state.size == 0 {
      guard let formerly else { return access == .readWrite }
      throw SyncError(damaged: path, finding: "it is empty, but it held the store \(formerly)")
    }
    return true
  }

  /// Looks how the file begins, before SQLite believes any of it. It is read through SQLite's own
  /// descriptor: closing another one would drop the locks that this process has on the file, see
  /// https://sqlite.org/howtocorrupt.html, 2.2.
  private static func expectHeader(
    _ database: Database, formerly: String?
  ) throws {
    let path = database.path
    guard let size = FileState(path: path)?.size, size > 0 else { return }
    let start = try database.start(bytes: 16)
    let isDatabase = String(decoding: start, as: UTF8.self) == "SQLite format 3\0"
    if isDatabase && size >= leastBytes { return }
    // What broke off while the file was made, or moved to another mode, SQLite takes back first.
    let journal = FileState(path: FileSystem.resolve(path) + "-journal")
    if let journal, journal.size > 0 { return }
    if isDatabase || formerly != nil || start.allSatisfy({ $0 == 0 }) {
      throw SyncError(damaged: path, finding: "its header is gone or cut short")
    }
    throw SyncError(
      .store, "\(path) is not a database; name another file as the store, nothing was changed")
  }

  /// A write-ahead log whose file was moved away holds changes of it: SQLite would empty it for a new
  /// file in that place.
  private static func expectNoLog(_ path: String) throws(SyncError) {
    let log = FileSystem.resolve(path) + "-wal"
    guard let state = FileState(path: log), state.size > 0 else { return }
    throw SyncError(
      .store,
      """
      \(path) is gone, but \(log) is there, and holds changes of it; put the file back beside it, or \
      move the two to the same place; nothing was changed
      """)
  }

  /// Makes an empty file. What the sidecar says of a store that lay here before goes first, so
  /// that a crash in between does not make the new file look like a damaged old one.
  private static func make(_ path: String, sidecar: StoreSidecar) throws(SyncError) {
    guard FileSystem.makeDirectories(for: path) else {
      throw SyncError(.store, "the directory of \(path) cannot be made: \(FileSystem.reason)")
    }
    if sidecar.read().store != nil {
      sidecar.update(durably: true) {
        $0.store = nil
        $0.lineage = []
        $0.file = nil
      }
    }
    guard FileSystem.makeFile(path) else {
      throw SyncError(.store, "\(path) cannot be made: \(FileSystem.reason)")
    }
  }

  // MARK: The database

  private static func configure(_ database: Database) throws(DatabaseError) {
    // What is deleted lies in the history anyway, and need not be overwritten with zeros.
    try database.execute(
      """
      PRAGMA foreign_keys=ON; PRAGMA cell_size_check=ON; PRAGMA cache_size=-8000;
      PRAGMA secure_delete=OFF
      """)
  }

  /// Makes sure that a database is a store that this version knows, or new.
  ///
  /// - Returns: whether it is new.
  static func identify(_ database: Database) throws -> Bool {
    let path = database.path
    let application = try database.integer("PRAGMA application_id") ?? 0
    let version = try database.integer("PRAGMA user_version") ?? 0
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    if application == 0 && version == 0 && tables == 0 { return true }
    guard application == Schema.applicationID else {
      throw SyncError(
        .store,
        "\(path) is a database of another program, not a store of syncd; name another file"
          + " as the store, nothing was changed")
    }
    guard version <= Migrations.store.newest else {
      throw SyncError(
        .store,
        "\(path) was made by a newer version of syncd (schema \(version), this one knows"
          + " \(Migrations.store.newest)); upgrade syncd, nothing was changed")
    }
    guard
      try database.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name IN ('projects','syncd_store')") == 2
    else { throw SyncError(damaged: path, finding: "its tables are gone") }
    return false
  }

  private static func prepare(_ database: Database) throws {
    if try database.text("PRAGMA journal_mode") != "wal" {
      do {
        try database.execute("PRAGMA journal_mode=WAL")
      } catch  where error.kind == .busy {
        // Another process is making the same change; it holds for this connection as well.
      }
    }
    try database.execute("PRAGMA synchronous=FULL; PRAGMA journal_size_limit=67108864")
    try Migrations.store.run(on: database)
  }

  /// A store that may not be written cannot be brought up to date either.
  private static func expectCurrent(_ database: Database) throws {
    let version = try database.integer("PRAGMA user_version") ?? 0
    guard version < Migrations.store.newest else { return }
    throw SyncError(
      .store,
      "\(database.path) was made by an older version of syncd (schema \(version)); a command"
        + " that writes, such as `syncd once`, brings it up to date")
  }

  private static func storeID(of database: Database) throws -> String {
    guard let id = try database.text("SELECT id FROM syncd_store") else {
      throw SyncError(damaged: database.path, finding: "it has lost its identity")
    }
    return id
  }
}
