extension LocalStore {
  /// Has a record that was set aside tried again by the next run.
  ///
  /// - Returns: whether it was set aside for the remote at `url`.
  public func retrySetAside(_ id: String, remote url: String) throws(SyncError) -> Bool {
    try changeSetAside(
      id, remote: url, "DELETE FROM syncd_set_aside WHERE remote=?1 AND id=?2 AND \(Self.isOpen)")
  }

  /// Leaves a record that was set aside alone for good, and says no more of it, until it changes on
  /// either side. The record itself stays. One that the remote lists in a form that cannot be taken
  /// over is set aside anew by the next run that finds it so.
  ///
  /// - Returns: whether it was set aside for the remote at `url`.
  public func dropSetAside(_ id: String, remote url: String) throws(SyncError) -> Bool {
    try changeSetAside(
      id, remote: url,
      """
      UPDATE syncd_set_aside SET action='\(SetAside.droppedAction)'
        WHERE remote=?1 AND id=?2 AND \(Self.isOpen)
      """)
  }

  /// A conflict is decided, and not dropped.
  private static let isOpen =
    "action NOT IN ('\(SetAside.conflictAction)','\(SetAside.droppedAction)',\(SetAside.decided))"

  private func changeSetAside(
    _ id: String, remote url: String, _ change: String
  ) throws(SyncError) -> Bool {
    try writing {
      let key = try database.integer(
        "SELECT key FROM syncd_remote WHERE url=?", [.text(RemoteIdentity.text(of: url))])
      guard let key else { return false }
      try database.run(change, [.integer(key), .text(id)])
      return database.changes > 0
    }
  }
}
