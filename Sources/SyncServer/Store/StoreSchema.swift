internal import SyncKit

/// The tables of the server's database, version 3.
enum StoreSchema {
  /// "SYNS"
  static let applicationID: Int64 = 0x5359_4E53
  static let version: Int64 = 3

  /// Makes the tables where there are none, and those that an earlier version lacked.
  ///
  /// An acknowledged write is on the disk: `synchronous=FULL` waits for it once for each commit,
  /// which a batch pays once for all its items.
  ///
  /// - Throws: `ServerError` for a database of another program or a later version; `DatabaseError`.
  ///
  /// - Parameter rebuild: fills the chunks of a store that had none.
  static func prepare(_ database: Database, rebuild: () throws -> Void) throws {
    try database.execute("PRAGMA journal_mode = WAL")
    try database.transaction {
      let application = try database.integer("PRAGMA application_id") ?? 0
      let found = try database.integer("PRAGMA user_version") ?? 0
      if application == 0, found == 0,
        try database.integer("SELECT count(*) FROM sqlite_schema") == 0
      {
        try database.execute(tables)
        try database.execute(marks)
        try database.execute(chunks)
        try database.execute("PRAGMA application_id = \(applicationID)")
        try database.execute("PRAGMA user_version = \(version)")
        return
      }
      guard application == applicationID else {
        throw ServerError(.store, "\(database.path): not a store of syncd serve")
      }
      if found == 1 || found == 2 {
        if found == 1 { try database.execute(marks) }
        try database.execute(chunks)
        try rebuild()
        try database.execute("PRAGMA user_version = \(version)")
        return
      }
      guard found == version else {
        throw ServerError(
          .store, "\(database.path): made by a later version of syncd (\(found)); use that one")
      }
    }
  }

  /// The lineage as it was after each of the last transactions, by which the present is told to go on
  /// from a past or not. Since version 2.
  private static let marks = """
    CREATE TABLE mark(
      space INTEGER NOT NULL, seq INTEGER NOT NULL, lineage INTEGER NOT NULL,
      PRIMARY KEY(space, seq)) STRICT, WITHOUT ROWID;
    """

  /// The sums of neighbouring records, `first` being the first id that belongs to a chunk, and empty
  /// for the first of them. Since version 3.
  private static let chunks = """
    CREATE TABLE chunk(
      space INTEGER NOT NULL, first TEXT NOT NULL, count INTEGER NOT NULL, sum BLOB NOT NULL,
      PRIMARY KEY(space, first)) STRICT, WITHOUT ROWID;
    """

  /// `head` has what listings need and nothing more; a row without `contents` is a tombstone, and its
  /// hash that of the version that was deleted (0 where that is not known).
  /// `space.forgotten` is the sequence number of the last tombstone that was dropped.
  private static let tables = """
    CREATE TABLE space(
      key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, id TEXT NOT NULL, epoch TEXT NOT NULL,
      seq INTEGER NOT NULL DEFAULT 0, lineage INTEGER NOT NULL DEFAULT 0,
      forgotten INTEGER NOT NULL DEFAULT 0, records INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0, tombstones INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE head(
      space INTEGER NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, hash INTEGER NOT NULL,
      updated_at TEXT NOT NULL, contents INTEGER, PRIMARY KEY(space, id)) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX head_seq ON head(space, seq);
    CREATE TABLE contents(key INTEGER PRIMARY KEY, json BLOB NOT NULL) STRICT;
    CREATE TABLE token(
      id TEXT PRIMARY KEY, space TEXT NOT NULL, access TEXT NOT NULL, hash BLOB NOT NULL,
      created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;
    """
}
