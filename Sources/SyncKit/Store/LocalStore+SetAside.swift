extension LocalStore {
  /// Takes note of records that are left alone. One that was set aside before in the same state
  /// keeps its `since`.
  package func setAside(_ records: [SetAside], remote: Int64) throws(SyncError) {
    guard !records.isEmpty else { return }
    try writing {
      for record in records { try setAsideRow(record, remote: remote) }
    }
  }

  private func setAsideRow(_ record: SetAside, remote: Int64) throws {
    try database.prepare(
      """
      INSERT INTO syncd_set_aside(remote, id, action, status, message, since,
          local_updated_at, remote_version) VALUES(?1,?2,?3,?4,?5,?6,?7,?8)
        ON CONFLICT(remote, id) DO UPDATE SET
          since=iif(action=?3 AND local_updated_at IS ?7 AND remote_version IS ?8, since, ?6),
          kept=iif(action=?3 AND remote_version IS ?8, kept, NULL),
          action=?3, status=?4, message=?5, local_updated_at=?7, remote_version=?8
      """
    ).run([
      .integer(remote), .text(record.id), .text(record.action), .integer(Int64(record.status)),
      .text(record.message), .integer(record.since.microseconds),
      SQLValue(record.localUpdatedAt?.microseconds), SQLValue(record.remoteVersion?.raw),
    ])
  }

  /// Takes note that the remote lists a record and does not find it by its id.
  ///
  /// - Returns: whether an earlier run noted the same.
  package func noteUnfound(
    _ id: ProjectID, message: String, remote: Int64, at: Timestamp
  ) throws(SyncError) -> Bool {
    try writing {
      let isKnown =
        try database.integer(
          "SELECT 1 FROM syncd_set_aside WHERE remote=? AND id=? AND action=?",
          [.integer(remote), .text(id.string), .text(SetAside.fetchAction)]) != nil
      try setAsideRow(
        SetAside(
          id: id.string, action: SetAside.fetchAction, status: isKnown ? 404 : 0,
          message: message, since: at), remote: remote)
      return isKnown
    }
  }

  /// The records set aside for one remote, by id; conflicts that wait for a decision among them.
  package func setAsides(remote: Int64) throws(SyncError) -> [SetAside] {
    try reporting { try setAsideRows(remote: remote) }
  }

  func setAsideRows(remote: Int64) throws -> [SetAside] {
    let rows = try database.prepare(
      """
      SELECT id, action, status, message, since, local_updated_at, remote_version
        FROM syncd_set_aside WHERE remote=? ORDER BY id
      """)
    defer { rows.reset() }
    try rows.bind(remote, at: 1)
    var records: [SetAside] = []
    while try rows.step() {
      records.append(
        SetAside(
          id: rows.text(0), action: rows.text(1), status: Int(rows.integer(2)),
          message: rows.text(3), since: Timestamp(microseconds: rows.integer(4)),
          localUpdatedAt: rows.optionalInteger(5).map(Timestamp.init(microseconds:)),
          remoteVersion: rows.optionalText(6).map { Version($0) }))
    }
    return records
  }
}
