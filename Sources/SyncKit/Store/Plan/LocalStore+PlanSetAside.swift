extension LocalStore {
  /// Brings the list of what is set aside in line with the plan: conflicts that wait and entries
  /// that cannot be taken over are in it, and what the plan neither does nor leaves alone is not.
  /// What somebody decided meanwhile stays decided.
  ///
  /// - Parameter at: this moment, for trouble that is new.
  package func settleSetAsides(remote: Int64, at: Timestamp) throws(SyncError) {
    let isNeeded = try reporting {
      try database.integer(
        """
        SELECT EXISTS(SELECT 1 FROM syncd_set_aside WHERE remote = ?)
          OR EXISTS(SELECT 1 FROM temp.fault)
          OR EXISTS(SELECT 1 FROM temp.plan WHERE action = ?)
        """, [.integer(remote), .integer(PlanAction.conflictWaits.rawValue)]) == 1
    }
    guard isNeeded else { return }
    let open =
      (PlanAction.sends + PlanAction.receives + [.setAside, .unfound]).map { String($0.rawValue) }
      .joined(separator: ",")
    let waits = PlanAction.conflictWaits.rawValue
    try writing {
      try database.run(
        """
        DELETE FROM syncd_set_aside WHERE remote = ?1
          AND id NOT IN (SELECT id FROM temp.fault)
          AND id NOT IN (SELECT id FROM temp.plan WHERE action IN (\(open))
            OR (action = \(waits)
              AND syncd_set_aside.action IN ('conflict', \(SetAside.decided))))
        """, [.integer(remote)])
      try database.run(
        """
        INSERT INTO syncd_set_aside(remote, id, action, status, message, since,
            local_updated_at, remote_version)
          SELECT ?1, id, 'conflict', 0, ?2, ?3, local_updated_at, remote_version
            FROM temp.plan WHERE action = \(waits)
          ON CONFLICT(remote, id) DO UPDATE SET message = excluded.message,
            since = iif(action = 'conflict', since, excluded.since), action = 'conflict',
            kept = iif(remote_version = excluded.remote_version, kept, NULL),
            local_updated_at = excluded.local_updated_at, remote_version = excluded.remote_version
          WHERE action = 'conflict' OR local_updated_at IS NOT excluded.local_updated_at
            OR remote_version IS NOT excluded.remote_version
        """, [.integer(remote), .text(SetAside.conflictMessage), .integer(at.microseconds)])
      try database.run(
        """
        INSERT INTO syncd_set_aside(remote, id, action, status, message, since)
          SELECT ?1, id, 'update', 0, reason, ?2 FROM temp.fault WHERE true
          ON CONFLICT(remote, id) DO UPDATE SET
            since = iif(message = excluded.message AND action = excluded.action, since, excluded.since),
            action = excluded.action, status = 0, message = excluded.message,
            local_updated_at = NULL, remote_version = NULL, kept = NULL
        """, [.integer(remote), .integer(at.microseconds)])
    }
  }
}
