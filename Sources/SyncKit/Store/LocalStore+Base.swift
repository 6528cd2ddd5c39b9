extension LocalStore {
  /// What is known about the remote at `url`.
  ///
  /// - Parameter remoteID: what the remote calls itself, if it does. When it differs from what the
  ///   base was made with, the base is not used.
  package func remoteState(url: String, remoteID: String?) throws(SyncError) -> RemoteState {
    try reporting {
      let row = try database.prepare(
        """
        SELECT key, remote_id, collection_version, conditional, has_synced, rolled_back,
          compared_at, incomparable_at FROM syncd_remote WHERE url=?
        """)
      defer { row.reset() }
      try row.bind(RemoteIdentity.text(of: url), at: 1)
      guard try row.step(), !Self.isAnother(remoteID, than: row.optionalText(1)) else {
        return RemoteState()
      }
      var state = RemoteState(key: row.integer(0))
      state.remoteID = row.optionalText(1)
      state.collectionVersion = row.optionalText(2).map(CollectionVersion.init)
      state.conditional = row.optionalInteger(3).map { $0 == 1 }
      state.hasSynced = row.integer(4) == 1
      state.isRolledBack = row.integer(5) == 1
      state.comparedAt = row.optionalInteger(6).map(Timestamp.init(microseconds:))
      state.incomparableAt = row.optionalInteger(7).map(Timestamp.init(microseconds:))
      return state
    }
  }

  /// The number of records that the base knows.
  package func knownRecords(remote: Int64) throws(SyncError) -> Int {
    try reporting {
      Int(
        try database.integer(
          "SELECT known FROM syncd_remote WHERE key=?", [.integer(remote)]) ?? 0)
    }
  }

  /// Takes note that the transaction under way changes that number.
  func countKnown(_ change: Int, remote: Int64) {
    knownChanges[remote, default: 0] += change
  }

  /// Makes the base of a remote ready to be written: makes its row, or empties the base when it
  /// belongs to another remote at the same URL.
  ///
  /// - Parameter keepsVersion: whether the collection's version that is remembered stays true while the
  ///   base is written: the plan was made from the changes since then. By anything else the base may
  ///   come to know less than what that version holds, and a run that is killed then must not be
  ///   followed by one that believes that nothing changed.
  /// - Returns: the key that names the base.
  package func openRemote(
    url: String, remoteID: String?, dialect: String, keepsVersion: Bool = false
  ) throws(SyncError) -> Int64 {
    let url = RemoteIdentity.text(of: url)
    let formerly = try reporting {
      try database.text("SELECT remote_id FROM syncd_remote WHERE url=?", [.text(url)])
    }
    let open = { () throws -> Int64 in
      try self.database.run(
        """
        INSERT INTO syncd_remote(url, remote_id, dialect) VALUES(?1,?2,?3)
          ON CONFLICT(url) DO UPDATE SET remote_id=coalesce(?2,remote_id), dialect=?3,
            collection_version=iif(?4, collection_version, NULL)
        """, [.text(url), SQLValue(remoteID), .text(dialect), .integer(keepsVersion ? 1 : 0)])
      return try self.database.integer(
        "SELECT key FROM syncd_remote WHERE url=?", [.text(url)]) ?? 0
    }
    guard Self.isAnother(remoteID, than: formerly) else { return try writing(open) }
    return try changingBase {
      let key = try open()
      try database.run("DELETE FROM syncd_base WHERE remote=?", [.integer(key)])
      try database.run("DELETE FROM syncd_chunk WHERE remote=?", [.integer(key)])
      try database.run("DELETE FROM syncd_set_aside WHERE remote=?", [.integer(key)])
      try database.run(
        """
        UPDATE syncd_remote SET collection_version=NULL, conditional=NULL, has_synced=0, known=0,
          rolled_back=0, compared_at=NULL, incomparable_at=NULL WHERE key=?
        """, [.integer(key)])
      return key
    }
  }

  private static func isAnother(_ remoteID: String?, than formerID: String?) -> Bool {
    guard let remoteID, let formerID else { return false }
    return !remoteID.utf8.elementsEqual(formerID.utf8)
  }

  /// Takes note that the remote would not compare ranges.
  package func noteIncomparable(remote: Int64, at: Timestamp) throws(SyncError) {
    guard access == .readWrite else { return }
    try writing {
      try database.run(
        "UPDATE syncd_remote SET incomparable_at=?2 WHERE key=?1",
        [.integer(remote), .integer(at.microseconds)])
    }
  }

  /// Takes note that the remote went back to an older state, until a run has gone through.
  package func noteRolledBack(remote: Int64) throws(SyncError) {
    try writing {
      try database.run("UPDATE syncd_remote SET rolled_back=1 WHERE key=?", [.integer(remote)])
    }
  }

  /// Writes down what both sides agree on, in one transaction that may be lost with the power; the
  /// next run then finds it out again.
  package func commit(
    _ acknowledgements: [Acknowledgement], remote: Int64
  ) throws(SyncError) {
    guard !acknowledgements.isEmpty else { return }
    try changingBase(relaxed: true) {
      let hasSetAsides = try database.integer("SELECT 1 FROM syncd_set_aside LIMIT 1") != nil
      for acknowledgement in acknowledgements {
        try write(acknowledgement, remote: remote)
        if hasSetAsides { try forgetSetAside(acknowledgement.id, remote: remote) }
      }
    }
  }

  func forgetSetAside(_ id: ProjectID, remote: Int64) throws {
    try database.prepare("DELETE FROM syncd_set_aside WHERE remote=? AND id=?").run([
      .integer(remote), .text(id.string),
    ])
  }

  /// The journal's entry stays until the run ends: what is pending is told by the base.
  func write(_ acknowledgement: Acknowledgement, remote: Int64) throws {
    try touchChunk(of: acknowledgement.id, remote: remote)
    switch acknowledgement {
    case .agreed(let id, let stamp, let version, let etag, let same, let remoteStamp):
      let row = { (statement: Statement) throws(DatabaseError) in
        try statement.bind(remote, at: 1)
        try statement.bind(id.string, at: 2)
        try statement.bind(stamp.microseconds, at: 3)
        try statement.bind(version.raw, at: 4)
        // As a rule the version is the tag itself, which is not written twice.
        if etag == version.raw {
          try statement.bind("", at: 5)
        } else {
          try statement.bind(SQLValue(etag), at: 5)
        }
        try statement.bind(Int64(same ? 1 : 0), at: 6)
        try statement.bind(
          SQLValue(remoteStamp == stamp ? nil : remoteStamp?.microseconds), at: 7)
      }
      try database.prepare(
        constant: """
          INSERT INTO syncd_base(
            remote, id, local_updated_at, remote_version, etag, same, remote_updated_at)
            VALUES(?1,?2,?3,?4,?5,?6,?7) ON CONFLICT(remote, id) DO NOTHING
          """
      ).run(binding: row)
      guard database.changes == 0 else { return countKnown(1, remote: remote) }
      try database.prepare(
        constant: """
          UPDATE syncd_base SET local_updated_at=?3, remote_version=?4, etag=?5, same=?6,
            remote_updated_at=?7 WHERE remote=?1 AND id=?2
          """
      ).run(binding: row)
    case .forgotten(let id):
      try database.prepare("DELETE FROM syncd_base WHERE remote=? AND id=?").run([
        .integer(remote), .text(id.string),
      ])
      countKnown(-database.changes, remote: remote)
    }
  }

  /// Runs `body` as one transaction that changes the base.
  ///
  /// The first of a run also changes the lineage, and is on the disk when this returns.
  /// - Parameter relaxed: whether a later one may be lost with the power.
  func changingBase<Result>(
    relaxed: Bool = false, _ body: () throws -> Result
  ) throws(SyncError) -> Result {
    guard hasChangedBase else {
      let result = try writing {
        try Lineage.rotate(database, storeID: storeID, sidecar: sidecar)
        return try counting(body)
      }
      hasChangedBase = true
      Lineage.settle(database, sidecar: sidecar)
      return result
    }
    guard relaxed else { return try writing { try counting(body) } }
    return try reporting {
      try database.execute("PRAGMA synchronous=NORMAL")
      defer { try? database.execute("PRAGMA synchronous=FULL") }
      return try database.transaction(.immediate) { try counting(body) }
    }
  }

  /// Runs `body` inside a transaction, and keeps the number of known records in step with the base.
  private func counting<Result>(_ body: () throws -> Result) throws -> Result {
    (knownChanges, touchedChunk) = ([:], nil)
    let result = try body()
    for (remote, change) in knownChanges where change != 0 {
      try database.run(
        "UPDATE syncd_remote SET known=known+? WHERE key=?",
        [.integer(Int64(change)), .integer(remote)])
    }
    return result
  }
}
