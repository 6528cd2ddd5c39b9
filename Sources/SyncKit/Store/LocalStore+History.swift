extension LocalStore {
  /// The versions of a project that something took the place of, newest first; of a deleted
  /// project as well. Empty when there are none.
  public func history(of id: ProjectID) throws(SyncError) -> [HistoryVersion] {
    try reporting {
      let rows = try database.prepare(
        "\(HistoryRow.select) WHERE id=? ORDER BY version DESC")
      defer { rows.reset() }
      try rows.bind(id.string, at: 1)
      var versions: [HistoryVersion] = []
      while try rows.step() { versions.append(HistoryRow.read(rows)) }
      return versions
    }
  }

  /// Makes an old version the current one, as an ordinary edit, or as a new project under the same
  /// id when it was deleted.
  ///
  /// - Parameter version: nil takes the newest.
  /// - Throws: `.notFound`.
  public func restore(_ id: ProjectID, version: Int64? = nil) throws(SyncError) -> Project {
    try writing {
      let project = try superseded(id, version: version).project
      var values = ProjectRow.values(project)
      values.remove(at: 6)
      let exists = try row(id) != nil
      try database.run(
        exists
          ? """
          UPDATE projects SET title=?2, body=?3, state=?4, due_at=?5,
            created_at=coalesce(?6,created_at), extra=?7 WHERE id=?1
          """
          : """
          INSERT INTO projects(id, title, body, state, due_at, created_at, extra)
            VALUES(?1,?2,?3,?4,?5,?6,?7)
          """, values)
      return try existing(id)
    }
  }

  private func superseded(_ id: ProjectID, version: Int64?) throws -> HistoryVersion {
    let row = try database.prepare(
      "\(HistoryRow.select) WHERE id=?1 AND version=coalesce(?2,version)"
        + " ORDER BY version DESC LIMIT 1")
    defer { row.reset() }
    try row.bind([.text(id.string), SQLValue(version)])
    guard try row.step() else {
      throw SyncError(
        .notFound,
        version.map { "\(id) has no version \($0); `syncd history \(id)` lists them" }
          ?? "the history has no version of \(id)")
    }
    return HistoryRow.read(row)
  }

  /// Keeps versions that are about to be lost. They are on the disk when this returns; a version
  /// that is there already is not kept twice, but from now on for as long as if it were new.
  package func keep(_ versions: [KeptVersion]) throws(SyncError) {
    guard !versions.isEmpty else { return }
    try writing { for kept in versions { try keepNewest(kept) } }
  }

  /// Keeps a version under a new number, in place of one that is equal and may be old enough to be
  /// forgotten soon. One that was this store's own in passing still counts as that.
  ///
  /// - Returns: the number.
  @discardableResult
  func keepNewest(_ kept: KeptVersion) throws -> Int64 {
    let former = try versionNumber(of: kept)
    let version = try insert(kept)
    guard let former else { return version }
    try database.run(
      """
      UPDATE syncd_history SET reason='merged'
        WHERE version=?1 AND (SELECT reason FROM syncd_history WHERE version=?2)='merged'
      """, [.integer(version), .integer(former)])
    try database.run("DELETE FROM syncd_history WHERE version=?", [.integer(former)])
    try database.run(
      "UPDATE syncd_set_aside SET kept=?1 WHERE id=?2 AND kept=?3",
      [.integer(version), .text(kept.project.id.string), .integer(former)])
    return version
  }

  /// The number of a version in the history that is equal to this one, on the same side.
  func versionNumber(of kept: KeptVersion) throws -> Int64? {
    try database.integer(
      """
      SELECT version FROM syncd_history WHERE id=?1 AND updated_at=?7 AND origin=?9
        AND title IS ?2 AND body IS ?3 AND state IS ?4 AND due_at IS ?5
        AND created_at IS ?6 AND extra IS ?8 ORDER BY version DESC LIMIT 1
      """, ProjectRow.values(kept.project) + [.text(kept.origin.rawValue)])
  }

  /// - Returns: the number of the version.
  func insert(_ kept: KeptVersion) throws -> Int64 {
    try database.prepare(
      """
      INSERT INTO syncd_history(\(ProjectRow.columns), origin, reason, at)
        VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,\(Schema.now))
      """
    ).run(
      ProjectRow.values(kept.project) + [.text(kept.origin.rawValue), .text(kept.reason.rawValue)])
    return database.lastInsertedKey
  }

  /// The version that this store held under a stamp, be it only in passing, and that something took
  /// the place of since.
  package func superseded(_ id: ProjectID, at stamp: Timestamp) throws(SyncError) -> Project? {
    try reporting { try supersededRow(id, at: stamp) }
  }

  func supersededRow(_ id: ProjectID, at stamp: Timestamp) throws -> Project? {
    let row = try database.prepare(
      """
      \(HistoryRow.select) AS old WHERE id=? AND updated_at=? AND \(Triggers.wasHere("old"))
        ORDER BY version DESC LIMIT 1
      """)
    defer { row.reset() }
    try row.bind([.text(id.string), .integer(stamp.microseconds)])
    return try row.step() ? HistoryRow.read(row).project : nil
  }

  /// A version by its number.
  func versionRow(_ version: Int64) throws -> Project? {
    let row = try database.prepare("\(HistoryRow.select) WHERE version=?")
    defer { row.reset() }
    try row.bind(version, at: 1)
    return try row.step() ? HistoryRow.read(row).project : nil
  }

  /// Whether this very version was the store's own until somebody changed or deleted it here. A remote
  /// that holds it has nothing that this store does not know: it stored what was sent, and the
  /// acknowledgement was lost.
  package func hasSuperseded(_ project: Project) throws(SyncError) -> Bool {
    try reporting {
      let found = try database.prepare(
        """
        SELECT EXISTS(SELECT 1 FROM syncd_history WHERE id=?1 AND updated_at=?7 AND origin='local'
          AND reason IN ('edited','deleted','replaced') AND title IS ?2 AND body IS ?3
          AND state IS ?4 AND due_at IS ?5 AND (?6 IS NULL OR created_at IS ?6) AND extra IS ?8)
        """)
      defer { found.clear() }
      try found.bind(ProjectRow.values(project))
      return try found.step() && found.integer(0) == 1
    }
  }

  /// Those of the records that were deleted here, in this very version, and that no run has settled.
  package func deletedHere(_ records: [Project]) throws(SyncError) -> Set<ProjectID> {
    let pending = "SELECT 1 FROM syncd_journal WHERE operation='delete'"
    let hasDeletions = try reporting { try database.integer(pending + " LIMIT 1") != nil }
    guard hasDeletions else { return [] }
    var deleted: Set<ProjectID> = []
    for project in records where try hasSuperseded(project) {
      let isPending = try reporting {
        try database.integer(pending + " AND id=?", [.text(project.id.string)]) != nil
      }
      if isPending { deleted.insert(project.id) }
    }
    return deleted
  }

  /// Whether the store holds, or once held, this very version of the record as its own.
  package func holds(
    version localUpdatedAt: Timestamp, of id: ProjectID
  ) throws(SyncError) -> Bool {
    try reporting {
      try database.integer(
        """
        SELECT EXISTS(SELECT 1 FROM projects WHERE id=?1 AND updated_at=?2)
          OR EXISTS(SELECT 1 FROM syncd_history
            WHERE id=?1 AND updated_at=?2 AND origin='local')
        """, [.text(id.string), .integer(localUpdatedAt.microseconds)]) == 1
    }
  }
}

/// How a row of the history becomes a `HistoryVersion`.
private enum HistoryRow {
  static let select = "SELECT version, \(ProjectRow.columns), origin, reason, at FROM syncd_history"

  static func read(_ row: Statement) -> HistoryVersion {
    HistoryVersion(
      version: row.integer(0), project: ProjectRow.read(row, from: 1),
      origin: Side(rawValue: row.text(9)) ?? .local,
      reason: HistoryVersion.Reason(rawValue: row.text(10)) ?? .edited,
      at: Timestamp(microseconds: row.integer(11)))
  }
}
