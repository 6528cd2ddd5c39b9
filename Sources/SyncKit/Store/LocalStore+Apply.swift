extension LocalStore {
  /// Writes what a run decided, in one transaction that is on the disk when this returns.
  ///
  /// A change whose local record is no longer the one it was decided by is left out, and so is one
  /// that the schema refuses. What a change overwrites or deletes is in the history first.
  ///
  /// - Returns: for each change whether it was made.
  package func apply(
    _ changes: [LocalChange], remote: Int64
  ) throws(SyncError) -> [Bool] {
    guard !changes.isEmpty else { return [] }
    return try changingBase {
      let hasOthers =
        try database.integer(
          "SELECT EXISTS(SELECT 1 FROM syncd_remote WHERE key<>?)",
          [
            .integer(remote)
          ]) == 1
      try database.run("UPDATE syncd_store SET applying=1, seq=seq+1")
      let done = try changes.map { change in
        try attempt { try apply(change, remote: remote, hasOthers: hasOthers) } ?? false
      }
      try database.run("UPDATE syncd_store SET applying=0")
      return done
    }
  }

  /// Undoes `body` alone when the schema refuses what it writes, and returns nil then.
  func attempt<Result>(_ body: () throws -> Result?) throws -> Result? {
    try database.run("SAVEPOINT change")
    let known = knownChanges
    do {
      let done = try body()
      try database.run("RELEASE change")
      return done
    } catch let error as DatabaseError where error.kind == .constraint {
      try database.run("ROLLBACK TO change")
      try database.run("RELEASE change")
      knownChanges = known
      return nil
    }
  }

  private func apply(_ change: LocalChange, remote: Int64, hasOthers: Bool) throws -> Bool {
    let id: ProjectID
    let operation: String
    switch change {
    case .put(let record, let expected, let reason):
      id = record.project.id
      operation = "put"
      guard try stamp(of: id) == expected else { return false }
      if expected != nil { try keepCurrent(id, reason: reason) }
      try write(record.project)
      try write(
        .agreed(
          id, localUpdatedAt: record.project.updatedAt, remoteVersion: record.version,
          etag: record.etag, same: true), remote: remote)
    case .delete(let deleted, let expected, let reason):
      id = deleted
      operation = "delete"
      guard try stamp(of: id) == expected else { return false }
      try keepCurrent(id, reason: reason)
      try database.prepare("DELETE FROM projects WHERE id=?").run([.text(id.string)])
      try write(.forgotten(id), remote: remote)
    }
    try forgetSetAside(id, remote: remote)
    if hasOthers {
      try database.prepare(Journal.note).run([.text(id.string), .text(operation)])
      try database.prepare(Journal.settle).run([.text(id.string), .integer(remote)])
    } else {
      try database.prepare("DELETE FROM syncd_journal WHERE id=?").run([.text(id.string)])
    }
    return true
  }

  func stamp(of id: ProjectID) throws -> Timestamp? {
    try database.integer(
      "SELECT coalesce(updated_at,0) FROM projects WHERE id=?", [.text(id.string)]
    ).map(Timestamp.init(microseconds:))
  }

  func keepCurrent(_ id: ProjectID, reason: HistoryVersion.Reason) throws {
    try database.prepare(
      """
      INSERT INTO syncd_history(\(ProjectRow.columns), origin, reason, at)
        SELECT \(ProjectRow.columns), 'local', ?2, \(Schema.now) FROM projects WHERE id=?1
      """
    ).run([.text(id.string), .text(reason.rawValue)])
  }

  /// A remote that keeps no `createdAt` leaves the one that is here.
  func write(_ project: Project) throws {
    try database.prepare(
      """
      INSERT INTO projects(\(ProjectRow.columns)) VALUES(?1,?2,?3,?4,?5,coalesce(?6,?7),?7,?8)
        ON CONFLICT(id) DO UPDATE SET title=?2, body=?3, state=?4, due_at=?5,
          created_at=coalesce(?6,created_at,?7), updated_at=?7, extra=?8
      """
    ).run(ProjectRow.values(project))
  }
}
