/// The tables of a store, version 1. Released versions never change; `Migrations` adds to them.
///
/// `projects` is for everyone; the tables whose names begin with `syncd_` are our own.
enum Schema {
  /// "SYNC", in the file's header.
  static let applicationID: Int64 = 0x5359_4E43

  /// This moment in milliseconds since 1970. One statement sees one moment. A Julian day has 53
  /// bits: enough for a millisecond, which is as fine as SQLite's clock is.
  static let milliseconds = "CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)"

  /// This moment in microseconds since 1970.
  static let now = "(\(milliseconds)*1000)"

  /// The least stamp there is.
  static let least = "(-1<<63)"

  /// A version 7 UUID, RFC 9562, section 5.7, in lower case.
  static let uuid =
    """
    (lower(printf('%08x-%04x-7%s-%s%s-%s',(\(milliseconds)>>16)&4294967295,\
    \(milliseconds)&65535,substr(hex(randomblob(2)),2),substr('89ab',1+(random()&3),1),\
    substr(hex(randomblob(2)),2),hex(randomblob(6)))))
    """

  /// The rules of `ProjectID`. `length` and `GLOB` stop at a NUL, which therefore is looked for.
  private static let idRule =
    """
    length(CAST(id AS BLOB)) BETWEEN 1 AND 255 AND instr(id,char(0))=0 \
    AND id NOT GLOB '*['||char(1)||'-'||char(31)||char(127)||'-'||char(159)||']*'
    """

  static let contents = "title, body, state, due_at, created_at, updated_at, extra"

  static let tables = """
    CREATE TABLE projects(
      id TEXT NOT NULL ON CONFLICT REPLACE PRIMARY KEY DEFAULT \(uuid)
        CHECK(\(idRule)),
      title TEXT DEFAULT '',
      body TEXT DEFAULT '',
      state TEXT DEFAULT 'todo',
      due_at TEXT,
      created_at INTEGER DEFAULT \(now),
      updated_at INTEGER DEFAULT \(now),
      extra TEXT CHECK(extra IS NULL OR (json_valid(extra) AND json_type(extra)='object'))
    ) STRICT;
    CREATE INDEX projects_digest ON projects(id, updated_at);

    CREATE TABLE syncd_store(
      one INTEGER PRIMARY KEY CHECK(one=1),
      id TEXT NOT NULL,
      applying INTEGER NOT NULL DEFAULT 0,
      seq INTEGER NOT NULL DEFAULT 0,
      lineage TEXT NOT NULL,
      restored INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO syncd_store(one, id, lineage)
      VALUES(1, lower(hex(randomblob(16))), lower(hex(randomblob(16))));

    CREATE TABLE syncd_journal(
      id TEXT PRIMARY KEY,
      seq INTEGER NOT NULL,
      operation TEXT NOT NULL CHECK(operation IN ('put','delete')),
      since INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX syncd_journal_seq ON syncd_journal(seq);

    CREATE TABLE syncd_history(
      version INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      title TEXT, body TEXT, state TEXT, due_at TEXT,
      created_at INTEGER, updated_at INTEGER, extra TEXT,
      origin TEXT NOT NULL CHECK(origin IN ('local','remote')),
      reason TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX syncd_history_stamp ON syncd_history(id, updated_at);
    CREATE INDEX syncd_history_at ON syncd_history(at);

    CREATE TABLE syncd_replaced(
      id TEXT PRIMARY KEY,
      title TEXT, body TEXT, state TEXT, due_at TEXT,
      created_at INTEGER, updated_at INTEGER, extra TEXT
    ) STRICT;

    CREATE TABLE syncd_remote(
      key INTEGER PRIMARY KEY,
      url TEXT NOT NULL UNIQUE,
      remote_id TEXT,
      dialect TEXT,
      collection_version TEXT,
      conditional INTEGER,
      last_run TEXT,
      last_run_at INTEGER,
      last_success INTEGER,
      has_synced INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE syncd_base(
      remote INTEGER NOT NULL REFERENCES syncd_remote(key) ON DELETE CASCADE,
      id TEXT NOT NULL,
      local_updated_at INTEGER NOT NULL,
      remote_version TEXT NOT NULL,
      etag TEXT,
      same INTEGER NOT NULL,
      PRIMARY KEY(remote, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE syncd_set_aside(
      remote INTEGER NOT NULL REFERENCES syncd_remote(key) ON DELETE CASCADE,
      id TEXT NOT NULL,
      action TEXT NOT NULL,
      status INTEGER NOT NULL,
      message TEXT NOT NULL,
      since INTEGER NOT NULL,
      local_updated_at INTEGER,
      remote_version TEXT,
      PRIMARY KEY(remote, id)
    ) STRICT, WITHOUT ROWID;
    """

  static let version1 = tables + "\n\n" + Triggers.version1

  /// How far the remote's clock was ahead at the last run that heard it, in microseconds; whether the
  /// remote went back to an older state, until a run has gone through.
  static let version2 = """
    ALTER TABLE syncd_remote ADD COLUMN clock_skew INTEGER;
    ALTER TABLE syncd_remote ADD COLUMN rolled_back INTEGER NOT NULL DEFAULT 0;
    """

  /// A conflict that waits knows the version in the history that holds what the remote had.
  static let version3 = """
    ALTER TABLE syncd_set_aside ADD COLUMN kept INTEGER;

    DROP TRIGGER syncd_bounded;
    \(Triggers.bounded(keeping: Triggers.isNeeded));
    """

  /// How many records the base of a remote knows, kept beside them; the remote's stamp of a record,
  /// where it is not the local one.
  static let version4 = """
    ALTER TABLE syncd_remote ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
    UPDATE syncd_remote SET known=(SELECT count(*) FROM syncd_base WHERE remote=key);
    ALTER TABLE syncd_base ADD COLUMN remote_updated_at INTEGER;
    """

  /// The sums of neighbouring rows of the base, `first` being the first id that belongs to a chunk, and
  /// empty for the first of them; without a sum where a row has changed since. When the base was last
  /// compared with the whole of the remote, and when the remote last would not compare ranges.
  static let version5 = """
    CREATE TABLE syncd_chunk(
      remote INTEGER NOT NULL REFERENCES syncd_remote(key) ON DELETE CASCADE,
      first TEXT NOT NULL, count INTEGER NOT NULL, sum BLOB, PRIMARY KEY(remote, first)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE syncd_remote ADD COLUMN compared_at INTEGER;
    ALTER TABLE syncd_remote ADD COLUMN incomparable_at INTEGER;
    """

  /// What the remote's server called itself, and what was found of it by trying: one finding a line, its
  /// kind first.
  static let version6 = """
    ALTER TABLE syncd_remote ADD COLUMN server TEXT;
    ALTER TABLE syncd_remote ADD COLUMN findings TEXT;
    ALTER TABLE syncd_remote ADD COLUMN found_at INTEGER;
    """
}
