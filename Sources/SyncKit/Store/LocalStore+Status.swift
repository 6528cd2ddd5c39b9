extension LocalStore {
  /// What there is to say about the store and one remote.
  ///
  /// - Parameter url: the remote's. Nil counts what any known remote does not have yet, or, where no
  ///   remote is known, every change.
  public func status(remote url: String?) throws(SyncError) -> StoreStatus {
    try reporting {
      try database.transaction(.deferred) {
        var status = StoreStatus(path: path, id: storeID)
        status.projects = Int(try database.integer("SELECT count(*) FROM projects") ?? 0)
        status.futureStamps = Int(
          try database.integer(
            "SELECT count(*) FROM projects WHERE updated_at>\(Schema.now)+86400000000") ?? 0)
        let key = try readLastRun(remote: url, into: &status)
        try readPending(remote: key, isNamed: url != nil, into: &status)
        if let key {
          for record in try setAsideRows(remote: key) {
            switch record.action {
            case SetAside.conflictAction: status.conflictIDs.append(record.id)
            case SetAside.droppedAction, SetAside.keepLocalAction, SetAside.keepRemoteAction:
              continue
            case SetAside.fetchAction where record.status == 0: continue
            default: status.setAside.append(record)
            }
          }
        }
        return status
      }
    }
  }

  /// - Returns: the key of the remote at `url`, or of the one that ran last.
  private func readLastRun(remote url: String?, into status: inout StoreStatus) throws -> Int64? {
    let row = try database.prepare(
      """
      SELECT key, last_run, last_run_at, last_success, dialect, clock_skew FROM syncd_remote
        WHERE url=coalesce(?,url) ORDER BY last_run_at DESC LIMIT 1
      """)
    defer { row.reset() }
    try row.bind([SQLValue(url.map(RemoteIdentity.text))])
    guard try row.step() else { return nil }
    status.lastRun = row.optionalText(1)
    status.lastRunAt = row.optionalInteger(2).map(Timestamp.init(microseconds:))
    status.lastSuccess = row.optionalInteger(3).map(Timestamp.init(microseconds:))
    status.dialect = row.optionalText(4)
    status.clockSkew = row.optionalInteger(5).map(Duration.microseconds)
    return row.integer(0)
  }

  private func readPending(
    remote key: Int64?, isNamed: Bool, into status: inout StoreStatus
  ) throws {
    let isPending =
      isNamed || key == nil
      ? Journal.isPending(remote: "?1") : "?1=?1 AND NOT (\(Journal.isSettled("entry")))"
    let row = try database.prepare(
      """
      SELECT count(*), min(\(Journal.pendingSince(remote: "?1"))) FROM syncd_journal AS entry
        WHERE \(isPending)
        AND NOT EXISTS(SELECT 1 FROM syncd_set_aside AS left WHERE left.remote=?1
          AND left.id=entry.id AND left.action='\(SetAside.droppedAction)')
      """)
    defer { row.reset() }
    // No remote has the key 0: nothing was agreed with it.
    try row.bind([.integer(key ?? 0)])
    guard try row.step() else { return }
    status.pending = Int(row.integer(0))
    status.oldestPending = row.optionalInteger(1).map(Timestamp.init(microseconds:))
  }
}
