extension LocalStore {
  /// The conflicts that wait for a decision, in the order of their ids, with all their versions.
  ///
  /// - Parameter url: the remote's; nil takes the one that ran last.
  public func conflicts(remote url: String?) throws(SyncError) -> [WaitingConflict] {
    try reporting {
      guard let key = try conflictRemote(url) else { return [] }
      return try conflictRows(remote: key).compactMap { try conflict($0, remote: key) }
    }
  }

  /// One conflict that waits.
  ///
  /// - Parameters:
  ///   - text: the project's id, or its beginning, as `resolve` takes it. Where several projects begin
  ///     so and one of them has a conflict, it is that one.
  ///   - url: the remote's; nil takes the one that ran last.
  /// - Throws: `.notFound` when there is no such project, or no conflict on it; `.invalidInput` when
  ///   several are meant.
  public func conflict(_ text: String, remote url: String?) throws(SyncError) -> WaitingConflict {
    let found = try reporting { () -> WaitingConflict? in
      guard let key = try conflictRemote(url) else { return nil }
      let rows = try conflictRows(remote: key)
      let whole = rows.first { $0.id.utf8.elementsEqual(text.utf8) }
      let meant = text.count < 4 ? [] : rows.filter { $0.id.utf8.starts(with: text.utf8) }
      let row = whole ?? (meant.count == 1 ? meant.first : nil)
      return try row.flatMap { try conflict($0, remote: key) }
    }
    if let found { return found }
    let id = try resolve(text, includingDeleted: true)
    throw SyncError(
      .notFound,
      "no conflict waits on \(id)\(url.map { " with \($0)" } ?? "");"
        + " `syncd conflicts` lists those that do")
  }

  /// Decides a conflict. It works offline; the next run carries it out.
  ///
  /// The decision is on the two versions that are known now. Where either side changes before it is
  /// carried out, nothing is overwritten, and the rules decide anew. What gives way is kept in the
  /// history. `merged` writes the merged version at once, as an edit.
  ///
  /// - Throws: `.notFound` when the conflict does not wait any more; `.invalidInput` when the record was
  ///   deleted here, or cannot be merged.
  public func resolve(
    _ conflict: WaitingConflict, keep winner: ConflictWinner, remote url: String?
  ) throws(SyncError) {
    let id = conflict.id
    guard let local = conflict.local else {
      throw SyncError(
        .invalidInput,
        "\(id) was deleted here since; the next run brings the remote's version back, as an edit"
          + " beats a deletion")
    }
    let key = try reporting { try conflictRemote(url) } ?? 0
    if winner == .merged { return try merge(conflict, local, remote: key) }
    let action =
      winner == .local ? SetAside.keepLocalAction : SetAside.keepRemoteAction
    try writing {
      try database.run(
        """
        UPDATE syncd_set_aside SET action=?1, local_updated_at=?2
          WHERE remote=?3 AND id=?4 AND action='\(SetAside.conflictAction)' AND remote_version=?5
        """,
        [
          .text(action), .integer(local.updatedAt.microseconds), .integer(key), .text(id.string),
          .text(conflict.remoteVersion.raw),
        ])
      guard database.changes > 0 else { throw Self.settled(id) }
      // Whoever watches the store sees a change of this project.
      try database.run("UPDATE syncd_store SET seq=seq+1")
      try database.prepare(Journal.note).run([.text(id.string), .text("put")])
    }
  }

  private func merge(
    _ conflict: WaitingConflict, _ local: Project, remote key: Int64
  ) throws(SyncError) {
    guard let merge = conflict.merge, let remote = conflict.remote else {
      throw SyncError(
        .invalidInput,
        "\(conflict.id) cannot be merged: what both sides had before is not known; keep local or"
          + " remote")
    }
    let version = MergedVersion(
      project: merge.project,
      remote: RemoteRecord(project: remote, version: conflict.remoteVersion),
      expected: local.updatedAt)
    guard try self.merge([version], remote: key).first ?? nil != nil else {
      throw Self.settled(conflict.id)
    }
  }

  private static func settled(_ id: ProjectID) -> SyncError {
    SyncError(.notFound, "the conflict on \(id) has changed meanwhile; look at it again")
  }

  // MARK: During a run

  /// Takes the remote's version of a conflict that waits into the history, once, and notes where.
  package func keepWaiting(_ record: RemoteRecord, remote: Int64) throws(SyncError) {
    try writing {
      let kept = KeptVersion(project: record.project, origin: .remote, reason: .conflict)
      let version = try keepNewest(kept)
      try database.run(
        """
        UPDATE syncd_set_aside SET kept=?1
          WHERE remote=?2 AND id=?3 AND action='\(SetAside.conflictAction)'
        """, [.integer(version), .integer(remote), .text(record.project.id.string)])
    }
  }

  /// The conflicts of the plan whose remote version the history does not hold yet.
  package func unkeptConflicts(
    after: ProjectID?, limit: Int, remote: Int64
  ) throws(SyncError) -> [PlannedOperation] {
    let ids = try reporting {
      let rows = try database.prepare(
        """
        SELECT id FROM syncd_set_aside WHERE remote=? AND id>? AND kept IS NULL
          AND action='\(SetAside.conflictAction)' ORDER BY id LIMIT ?
        """)
      defer { rows.reset() }
      try rows.bind([.integer(remote), .text(after?.string ?? ""), .integer(Int64(limit))])
      var ids: [ProjectID] = []
      while try rows.step() { ids.append(ProjectID(trusted: rows.text(0))) }
      return ids
    }
    return try plannedOperations(.conflictWaits, ids)
  }

  /// What somebody decided of these two versions.
  package func decision(
    of id: ProjectID, remote: Int64, local: Timestamp, version: Version
  ) throws(SyncError) -> ConflictWinner? {
    try reporting {
      switch try database.conflictAction(of: id, remote: remote, local: local, version: version) {
      case SetAside.keepLocalAction: .local
      case SetAside.keepRemoteAction: .remote
      default: nil
      }
    }
  }

  // MARK: Rows

  private func conflictRemote(_ url: String?) throws -> Int64? {
    try database.integer(
      "SELECT key FROM syncd_remote WHERE url=coalesce(?,url) ORDER BY last_run_at DESC LIMIT 1",
      [SQLValue(url.map(RemoteIdentity.text))])
  }

  private func conflictRows(remote: Int64) throws -> [SetAside] {
    try setAsideRows(remote: remote).filter { $0.action == SetAside.conflictAction }
  }

  private func conflict(_ row: SetAside, remote: Int64) throws -> WaitingConflict? {
    guard let version = row.remoteVersion else { return nil }
    let id = ProjectID(trusted: row.id)
    var conflict = WaitingConflict(id: id, since: row.since, remoteVersion: version)
    conflict.local = try self.row(id)
    let kept = try database.integer(
      "SELECT kept FROM syncd_set_aside WHERE remote=? AND id=?", [.integer(remote), .text(row.id)])
    conflict.remote = try kept.flatMap { try versionRow($0) }
    let stamp = try database.integer(
      "SELECT local_updated_at FROM syncd_base WHERE remote=? AND id=? AND same=1",
      [.integer(remote), .text(row.id)])
    conflict.base = try stamp.flatMap {
      try supersededRow(id, at: Timestamp(microseconds: $0))
    }
    return conflict
  }
}

extension Database {
  /// The action of a conflict's row, if it is on these very versions.
  func conflictAction(
    of id: ProjectID, remote: Int64, local: Timestamp, version: Version
  ) throws -> String? {
    let row = try prepare(
      """
      SELECT action, remote_version FROM syncd_set_aside WHERE remote=? AND id=?
        AND local_updated_at=? AND remote_version IS NOT NULL
      """)
    defer { row.reset() }
    try row.bind([.integer(remote), .text(id.string), .integer(local.microseconds)])
    guard try row.step(), Version(row.text(1)) == version else { return nil }
    return row.text(0)
  }
}
