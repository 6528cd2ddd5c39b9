/// The journal's SQL: what has changed here, and which remotes do not agree to it yet.
///
/// An entry is the newest change of an id. It is pending for a remote while the base does not say
/// that the remote has this very version; a deletion, while the base still has the id. What was made
/// and deleted again before any remote saw it is pending nowhere.
enum Journal {
  /// A condition on the journal's row `entry` and the remote whose key is the expression `remote`.
  static func isPending(_ entry: String = "entry", remote: String) -> String {
    """
    (CASE \(entry).operation
      WHEN 'put' THEN EXISTS(SELECT 1 FROM projects INDEXED BY projects_digest WHERE projects.id=\(entry).id
        AND NOT EXISTS(SELECT 1 FROM syncd_base WHERE syncd_base.remote=\(remote)
          AND syncd_base.id=\(entry).id AND local_updated_at=projects.updated_at))
      ELSE EXISTS(SELECT 1 FROM syncd_base
        WHERE syncd_base.remote=\(remote) AND syncd_base.id=\(entry).id)
      END)
    """
  }

  /// Since when the pending row `entry` is pending for a remote: since its agreed version was changed,
  /// which is later than the entry where another remote, which does not agree, keeps the entry.
  static func pendingSince(_ entry: String = "entry", remote: String) -> String {
    """
    coalesce((SELECT min(was.at) FROM syncd_base JOIN syncd_history AS was
        ON was.id=syncd_base.id AND was.updated_at=syncd_base.local_updated_at AND was.origin='local'
        WHERE syncd_base.remote=\(remote) AND syncd_base.id=\(entry).id), \(entry).since)
    """
  }

  /// Whether every remote that is known agrees to the journal's row `entry`.
  static func isSettled(_ entry: String) -> String {
    "NOT EXISTS(SELECT 1 FROM syncd_remote WHERE \(isPending(entry, remote: "syncd_remote.key")))"
  }

  /// Whether the journal's row `entry` is no deletion, or each of the other remotes has had a run since
  /// that went through.
  static func isSeen(_ entry: String, byAllBut remote: String) -> String {
    """
    (\(entry).operation='put' OR NOT EXISTS(SELECT 1 FROM syncd_remote AS other
        WHERE other.key<>\(remote) AND coalesce(other.last_success, 0)<\(entry).since))
    """
  }

  /// Forgets the entry of one id, the first parameter, if it is settled once the remote that is the
  /// second has heard of it.
  static let settle = """
    DELETE FROM syncd_journal WHERE id=?1 AND \(isSettled("syncd_journal"))
      AND \(isSeen("syncd_journal", byAllBut: "?2"))
    """

  /// Forgets every settled entry.
  static let settleAll = "DELETE FROM syncd_journal WHERE \(isSettled("syncd_journal"))"

  /// Notes a change that one remote made, for the others: the id and the operation.
  static let note = """
    INSERT INTO syncd_journal(id, seq, operation, since)
      SELECT ?, seq, ?, \(Schema.now) FROM syncd_store WHERE true
      ON CONFLICT(id) DO UPDATE SET seq=excluded.seq, operation=excluded.operation
    """
}
