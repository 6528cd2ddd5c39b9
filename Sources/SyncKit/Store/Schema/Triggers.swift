/// The triggers of a store, version 1: whoever changes `projects`, by whatever means, leaves a
/// stamp that grew, an entry in the journal and the version that was before in the history.
///
/// They are written for clients that we do not know:
/// - Only functions that every SQLite shell has are called.
/// - `INSERT OR REPLACE` fires no delete trigger (unless the client set `recursive_triggers`), and
///   `INSERT OR IGNORE` and upserts fire BEFORE INSERT for a row that never comes. The rows in the way
///   therefore wait in `syncd_replaced` until AFTER INSERT shows that they are gone.
/// - The conflict clause of the client's statement overrides those inside a trigger, but for upserts.
/// - Triggers that change `projects` set `applying` meanwhile, and so fire none.
/// - The order of the triggers of one event is undefined: none depends on another's work.
/// - What is rarely needed stands in a trigger of its own, whose WHEN costs less than its statements.
enum Triggers {
  static let version1 =
    [
      naming("INSERT"), naming("UPDATE OF id"), inserting, inserted, replaced, stamped, updating,
      updated, renamed, deleted, bounded(keeping: isBase),
    ].joined(separator: ";\n\n") + ";"

  private static let columns = "id, \(Schema.contents)"
  private static let isOn = "(SELECT applying FROM syncd_store)=0"

  // MARK: Ids

  /// Refuses an id that is not UTF-8, which could be read as that of another project: it is spelled
  /// anew from its characters, and must come out the same.
  private static func naming(_ event: String) -> String {
    """
    CREATE TRIGGER syncd_naming_\(event.prefix(6).lowercased()) BEFORE \(event) ON projects
      WHEN NEW.id GLOB '*[^ -~]*' AND \(isOn)
    BEGIN
      SELECT RAISE(ABORT, 'an id must be UTF-8') WHERE hex(NEW.id) IS NOT (
        WITH RECURSIVE spelled(count, bytes) AS (
          SELECT 0, ''
          UNION ALL
          SELECT count+1, bytes||hex(char(unicode(substr(NEW.id, count+1, 1)))) FROM spelled
            WHERE count<length(NEW.id))
        SELECT bytes FROM spelled WHERE count=length(NEW.id));
    END
    """
  }

  // MARK: Inserts

  private static let inserting = """
    CREATE TRIGGER syncd_inserting BEFORE INSERT ON projects
      WHEN (EXISTS(SELECT 1 FROM projects WHERE id=NEW.id)
        OR EXISTS(SELECT 1 FROM projects WHERE rowid=NEW.rowid)
        OR EXISTS(SELECT 1 FROM syncd_replaced)) AND \(isOn)
    BEGIN
      DELETE FROM syncd_replaced;
      INSERT INTO syncd_replaced(\(columns))
        SELECT \(columns) FROM projects WHERE id=NEW.id OR rowid=NEW.rowid;
    END
    """

  private static let inserted = """
    CREATE TRIGGER syncd_inserted AFTER INSERT ON projects WHEN \(isOn)
    BEGIN
      UPDATE syncd_store SET seq=seq+1;
      \(journal("NEW.id", "put"));
    END
    """

  private static let replaced = """
    CREATE TRIGGER syncd_replacing AFTER INSERT ON projects
      WHEN EXISTS(SELECT 1 FROM syncd_replaced) AND \(isOn)
    BEGIN
      \(keepReplaced);
    END
    """

  /// Takes rows that the new one replaced into the history; those under another id (they had its
  /// rowid) into the journal as well.
  private static let keepReplaced = """
    UPDATE syncd_store SET seq=seq+1;
      INSERT INTO syncd_history(\(columns), origin, reason, at)
        SELECT \(columns), 'local', 'replaced', \(Schema.now) FROM syncd_replaced AS was
        WHERE CASE WHEN was.id=NEW.id THEN NOT (\(equal("was", "NEW")))
          ELSE \(isGone("was.id")) END;
      INSERT INTO syncd_journal(id, seq, operation, since)
        SELECT was.id, seq, 'delete', \(Schema.now) FROM syncd_replaced AS was, syncd_store
        WHERE was.id<>NEW.id AND \(isGone("was.id"))
        \(coalescing)
    """

  private static let stamped = """
    CREATE TRIGGER syncd_stamping AFTER INSERT ON projects
      WHEN (NEW.created_at IS NULL OR \(isStale)) AND \(isOn)
    BEGIN
      UPDATE syncd_store SET applying=1;
      UPDATE projects
        SET created_at=coalesce(NEW.created_at, \(Schema.now)),
          updated_at=CASE WHEN \(isStale) THEN \(next(after: newestKnown)) ELSE updated_at END
        WHERE id=NEW.id;
      UPDATE syncd_store SET applying=0;
    END
    """

  /// Whether a new row needs another stamp than it came with: a version that the store knows by
  /// this or a later stamp was already told to others, unless this is that very version.
  private static let isStale = """
    (NEW.updated_at IS NULL OR (NEW.updated_at<=\(newestKnown)
        AND NOT EXISTS(SELECT 1 FROM syncd_history AS was WHERE was.id=NEW.id
          AND was.updated_at=NEW.updated_at AND \(equal("was", "NEW")))
        AND NOT EXISTS(SELECT 1 FROM syncd_replaced AS was WHERE was.id=NEW.id
          AND \(equal("was", "NEW")))))
    """

  /// The greatest stamp that was ever seen under the new row's id.
  private static let newestKnown = """
    max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), \(Schema.least)),
          coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), \(Schema.least)),
          coalesce((SELECT max(local_updated_at) FROM syncd_base
            WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), \(Schema.least)))
    """

  // MARK: Updates: a changed id is a deletion and a new project

  private static let updating = """
    CREATE TRIGGER syncd_updating BEFORE UPDATE ON projects
      WHEN (NEW.id IS NOT OLD.id OR NEW.rowid<>OLD.rowid) AND \(isOn)
    BEGIN
      DELETE FROM syncd_replaced;
      INSERT INTO syncd_replaced(\(columns))
        SELECT \(columns) FROM projects
        WHERE (id=NEW.id OR rowid=NEW.rowid) AND rowid<>OLD.rowid;
    END
    """

  private static let updated = """
    CREATE TRIGGER syncd_updated AFTER UPDATE ON projects
      WHEN NOT (NEW.id IS OLD.id AND \(equal("OLD", "NEW"))) AND \(isOn)
    BEGIN
      INSERT INTO syncd_history(\(columns), origin, reason, at)
        VALUES(\(values("OLD")), 'local',
          CASE WHEN NEW.id IS OLD.id THEN 'edited' ELSE 'deleted' END, \(Schema.now));
      UPDATE syncd_store SET applying=1, seq=seq+1;
      UPDATE projects
        SET created_at=coalesce(NEW.created_at, OLD.created_at, \(Schema.now)),
          updated_at=CASE WHEN NEW.updated_at>OLD.updated_at AND NOT \(isTaken("NEW.updated_at"))
              THEN updated_at
            WHEN NEW.id IS NOT OLD.id
              THEN max(coalesce(updated_at, \(Schema.least)), \(next(after: "OLD.updated_at")))
            WHEN \(isTaken(next(after: "OLD.updated_at"))) THEN \(next(after: newestKnown))
            ELSE \(next(after: "OLD.updated_at")) END
        WHERE id=NEW.id AND (NEW.created_at IS NULL OR NEW.updated_at IS NULL
          OR NEW.updated_at<=OLD.updated_at OR \(isTaken("NEW.updated_at")));
      UPDATE syncd_store SET applying=0;
      \(journal("NEW.id", "put"));
    END
    """

  /// Whether another version of the row is known by `stamp`: one that lies ahead of the clock, or
  /// the client names it.
  private static func isTaken(_ stamp: String) -> String {
    """
    EXISTS(SELECT 1 FROM syncd_history AS was WHERE was.id=NEW.id
              AND was.updated_at=\(stamp) AND NOT (\(equal("was", "NEW"))))
    """
  }

  private static let renamed = """
    CREATE TRIGGER syncd_renamed AFTER UPDATE ON projects
      WHEN (NEW.id IS NOT OLD.id OR NEW.rowid<>OLD.rowid) AND \(isOn)
    BEGIN
      \(keepReplaced);
      UPDATE syncd_store SET applying=1;
      UPDATE projects
        SET updated_at=\(next(after: "max(coalesce(updated_at, \(Schema.least)), \(newestKnown))"))
        WHERE id=NEW.id AND NEW.id IS NOT OLD.id
          AND coalesce(updated_at, \(Schema.least))<=\(newestKnown);
      UPDATE syncd_store SET applying=0;
      \(journal("OLD.id", "delete", when: isGone("OLD.id")));
    END
    """

  // MARK: Deletions

  private static let deleted = """
    CREATE TRIGGER syncd_deleted AFTER DELETE ON projects WHEN \(isOn)
    BEGIN
      INSERT INTO syncd_history(\(columns), origin, reason, at)
        VALUES(\(values("OLD")), 'local', 'deleted', \(Schema.now));
      UPDATE syncd_store SET seq=seq+1;
      DELETE FROM syncd_replaced WHERE id=OLD.id;
      \(journal("OLD.id", "delete"));
    END
    """

  // MARK: History

  /// Forgets the oldest versions of one side past the limit, but none that is still needed.
  static func bounded(keeping isNeeded: (String) -> String) -> String {
    """
    CREATE TRIGGER syncd_bounded AFTER INSERT ON syncd_history
      WHEN (SELECT count(*) FROM syncd_history WHERE id=NEW.id)>\(LocalStore.versionsKept)
    BEGIN
      DELETE FROM syncd_history WHERE id=NEW.id AND origin=NEW.origin
        AND version<=(SELECT version FROM syncd_history WHERE id=NEW.id AND origin=NEW.origin
          ORDER BY version DESC LIMIT 1 OFFSET \(LocalStore.versionsKept))
        AND NOT \(isNeeded("syncd_history"));
    END
    """
  }

  /// Whether the history's row `version` is what this store last agreed on with some remote.
  static func isBase(_ version: String) -> String {
    """
    (\(version).origin='local' AND EXISTS(SELECT 1 FROM syncd_base
          WHERE remote IN (SELECT key FROM syncd_remote) AND syncd_base.id=\(version).id
            AND local_updated_at=\(version).updated_at))
    """
  }

  /// Whether the history's row `version` is what this store last agreed on with some remote, be it
  /// only in passing, on the way to a merged version; or what a remote has in a conflict that waits.
  static func isNeeded(_ version: String) -> String {
    """
    (EXISTS(SELECT 1 FROM syncd_base
          WHERE remote IN (SELECT key FROM syncd_remote) AND syncd_base.id=\(version).id
            AND local_updated_at=\(version).updated_at AND \(wasHere(version)))
          OR EXISTS(SELECT 1 FROM syncd_set_aside
            WHERE remote IN (SELECT key FROM syncd_remote) AND syncd_set_aside.id=\(version).id
              AND kept=\(version).version))
    """
  }

  /// Whether the history's row `version` was this store's own, be it only in passing.
  static func wasHere(_ version: String) -> String {
    "(\(version).origin='local' OR \(version).reason='merged')"
  }

  // MARK: Parts

  /// Whether two rows are equal in everything but the id.
  private static func equal(_ one: String, _ other: String) -> String {
    Schema.contents.split(separator: ", ").map { "\(one).\($0) IS \(other).\($0)" }
      .joined(separator: " AND ")
  }

  private static func values(_ row: String) -> String {
    columns.split(separator: ", ").map { "\(row).\($0)" }.joined(separator: ", ")
  }

  private static func isGone(_ id: String) -> String {
    "NOT EXISTS(SELECT 1 FROM projects WHERE projects.id=\(id))"
  }

  /// A stamp that is greater than `stamp` and not behind the clock. Past the last stamp there is,
  /// only a different one can be had.
  private static func next(after stamp: String) -> String {
    """
    CASE WHEN \(stamp)<9223372036854775807 THEN max(\(Schema.now), \(stamp)+1)
                ELSE \(Schema.now) END
    """
  }

  private static func journal(
    _ id: String, _ operation: String, when condition: String = "true"
  ) -> String {
    """
    INSERT INTO syncd_journal(id, seq, operation, since)
        SELECT \(id), seq, '\(operation)', \(Schema.now) FROM syncd_store WHERE \(condition)
        \(coalescing)
    """
  }

  /// An id has one entry: the newest change, and since when there is one.
  private static let coalescing =
    "ON CONFLICT(id) DO UPDATE SET seq=excluded.seq, operation=excluded.operation"
}
