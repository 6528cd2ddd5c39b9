/// The triggers of a store, version 1: whoever changes `projects`, by whatever means, leaves a
/// stamp that grew, an entry in the journal and the version that was before in the history.
///
/// They are written for clients that we do not know:
/// - Only functions that every SQLite shell has are called.
/// - `INSERT OR REPLACE` fires no delete trigger (unless the client set `recursive_triggers`), and
///   `INSERT OR IGNORE` and upserts fire BEFORE INSERT for a row that never comes. The row in the way
///   therefore waits in `syncd_replaced` until AFTER INSERT shows that it is gone.
/// - The conflict clause of the client's statement overrides those inside a trigger, so none is used.
/// - Triggers that change `projects` set `applying` meanwhile, and so do not fire themselves.
/// - RETURNING shows a row as it was before AFTER triggers.
enum Triggers {
  static let version1 =
    [
      inserting, inserted, updating, updated, deleted,
    ].joined(separator: ";\n\n") + ";"

  /// Superseded local versions that are kept of one project.
  private static let versionsKept = 200

  private static let columns = "id, \(Schema.contents)"
  private static let isOn = "(SELECT applying FROM syncd_store)=0"

  // MARK: Inserts

  private static let inserting = """
    CREATE TRIGGER syncd_inserting BEFORE INSERT ON projects WHEN \(isOn)
    BEGIN
      DELETE FROM syncd_replaced;
      INSERT INTO syncd_replaced(\(columns))
        SELECT \(columns) FROM projects WHERE id=NEW.id OR rowid=NEW.rowid;
    END
    """

  private static let inserted = """
    CREATE TRIGGER syncd_inserted AFTER INSERT ON projects WHEN \(isOn)
    BEGIN
      \(keepReplaced)
      \(prune("NEW.id"));
      UPDATE syncd_store SET applying=1, seq=seq+1;
      UPDATE projects
        SET created_at=coalesce(NEW.created_at,\(Schema.now)),
          updated_at=iif(\(isStale), \(next(after: newestKnown)), NEW.updated_at)
        WHERE id=NEW.id AND (NEW.created_at IS NULL OR \(isStale));
      UPDATE syncd_store SET applying=0;
      DELETE FROM syncd_replaced;
      \(journal("NEW.id", "put"))
    END
    """

  /// Whether a new row needs another stamp than it came with: a version that the history knows by
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
        coalesce((SELECT max(local_updated_at) FROM syncd_base
          WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), \(Schema.least)))
    """

  /// Takes rows that the new one replaced into the history; those under another id (they had its
  /// rowid) into the journal as well.
  private static let keepReplaced = """
    INSERT INTO syncd_history(\(columns), origin, reason, at)
        SELECT \(columns), 'local', 'replaced', \(Schema.now) FROM syncd_replaced AS was
        WHERE iif(was.id=NEW.id, NOT (\(equal("was", "NEW"))), \(isGone("was.id")));
      UPDATE syncd_journal SET seq=(SELECT seq+1 FROM syncd_store), operation='delete'
        WHERE id IN (SELECT id FROM syncd_replaced WHERE id<>NEW.id AND \(isGone("syncd_replaced.id")));
      INSERT INTO syncd_journal(id, seq, operation, since)
        SELECT was.id, seq+1, 'delete', \(Schema.now) FROM syncd_replaced AS was, syncd_store
        WHERE was.id<>NEW.id AND \(isGone("was.id"))
          AND NOT EXISTS(SELECT 1 FROM syncd_journal WHERE id=was.id);
    """

  // MARK: Updates

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

  /// Whether another version of the row is known by `stamp`: one that lies ahead of the clock, or
  /// the client names it.
  private static func isTaken(_ stamp: String) -> String {
    """
    EXISTS(SELECT 1 FROM syncd_history AS was WHERE was.id=NEW.id
          AND was.updated_at=\(stamp) AND NOT (\(equal("was", "NEW"))))
    """
  }

  /// A changed id is a deletion and a new project.
  private static let updated = """
    CREATE TRIGGER syncd_updated AFTER UPDATE ON projects
      WHEN NOT (NEW.id IS OLD.id AND \(equal("OLD", "NEW"))) AND \(isOn)
    BEGIN
      INSERT INTO syncd_history(\(columns), origin, reason, at)
        VALUES(\(values("OLD")), 'local', iif(NEW.id IS OLD.id,'edited','deleted'), \(Schema.now));
      \(prune("OLD.id"));
      UPDATE syncd_store SET applying=1, seq=seq+1;
      UPDATE projects
        SET created_at=coalesce(NEW.created_at, OLD.created_at, \(Schema.now)),
          updated_at=CASE WHEN NEW.updated_at>OLD.updated_at AND NOT \(isTaken("NEW.updated_at"))
              THEN updated_at
            WHEN NEW.id IS NOT OLD.id
              THEN max(coalesce(updated_at,\(Schema.least)), \(next(after: "OLD.updated_at")))
            WHEN \(isTaken(next(after: "OLD.updated_at"))) THEN \(next(after: newestKnown))
            ELSE \(next(after: "OLD.updated_at")) END
        WHERE id=NEW.id AND (NEW.created_at IS NULL OR NEW.updated_at IS NULL
          OR NEW.updated_at<=OLD.updated_at OR \(isTaken("NEW.updated_at")));
      UPDATE syncd_store SET applying=0;
      \(journal("NEW.id", "put"))
    END;

    CREATE TRIGGER syncd_renamed AFTER UPDATE ON projects
      WHEN (NEW.id IS NOT OLD.id OR NEW.rowid<>OLD.rowid) AND \(isOn)
    BEGIN
      \(keepReplaced)
      UPDATE syncd_store SET applying=1, seq=seq+1;
      UPDATE projects
        SET updated_at=\(next(after: "max(coalesce(updated_at,\(Schema.least)),\(newestKnown))"))
        WHERE id=NEW.id AND NEW.id IS NOT OLD.id
          AND coalesce(updated_at,\(Schema.least))<=\(newestKnown);
      UPDATE syncd_store SET applying=0;
      DELETE FROM syncd_replaced;
      \(journal("OLD.id", "delete", when: isGone("OLD.id")))
    END
    """

  // MARK: Deletions

  private static let deleted = """
    CREATE TRIGGER syncd_deleted AFTER DELETE ON projects WHEN \(isOn)
    BEGIN
      INSERT INTO syncd_history(\(columns), origin, reason, at)
        VALUES(\(values("OLD")), 'local', 'deleted', \(Schema.now));
      \(prune("OLD.id"));
      UPDATE syncd_store SET seq=seq+1;
      DELETE FROM syncd_replaced WHERE id=OLD.id;
      \(journal("OLD.id", "delete"))
    END
    """

  // MARK: Parts

  /// Whether two rows are equal in everything but the id.
  private static func equal(_ one: String, _ other: String) -> String {
    Schema.contents.split(separator: ", ").map { "\(one).\($0) IS \(other).\($0)" }
      .joined(separator: " AND ")
  }

  private static func values(_ row: String) -> String {
    columns.split(separator: ", ").map { "\(row).\($0)" }.joined(separator: ",")
  }

  private static func isGone(_ id: String) -> String {
    "NOT EXISTS(SELECT 1 FROM projects WHERE projects.id=\(id))"
  }

  /// A stamp that is greater than `stamp` and not behind the clock. Past the last stamp there is,
  /// only a different one can be had.
  private static func next(after stamp: String) -> String {
    "iif(\(stamp)<9223372036854775807, max(\(Schema.now), \(stamp)+1), \(Schema.now))"
  }

  /// Coalesces with the entry that stands, whose `since` stays.
  private static func journal(
    _ id: String, _ operation: String, when condition: String = "1"
  ) -> String {
    """
    UPDATE syncd_journal SET seq=(SELECT seq FROM syncd_store), operation='\(operation)'
        WHERE id=\(id) AND \(condition);
      INSERT INTO syncd_journal(id, seq, operation, since)
        SELECT \(id), seq, '\(operation)', \(Schema.now) FROM syncd_store
        WHERE \(condition) AND NOT EXISTS(SELECT 1 FROM syncd_journal WHERE id=\(id));
    """
  }

  /// Forgets the oldest versions of one side past the limit, but none that a remote still knows.
  ///
  /// - Parameters: SQL expressions.
  static func prune(_ id: String, origin: String = "'local'") -> String {
    """
    DELETE FROM syncd_history WHERE id=\(id) AND origin=\(origin)
        AND version<=(SELECT version FROM syncd_history WHERE id=\(id) AND origin=\(origin)
          ORDER BY version DESC LIMIT 1 OFFSET \(versionsKept))
        AND NOT \(isBase("syncd_history"))
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
}
