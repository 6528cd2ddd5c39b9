extension LocalStore {
  /// Takes over projects with their ids and stamps, in one transaction.
  ///
  /// A stamp is moved forward where the store knows a newer version of the id, so that what was taken over is
  /// a change like any other.
  ///
  /// - Parameter replacing: whether a project whose id is taken replaces that one, as an edit; else
  ///   it is skipped. One with the same contents is skipped in any case.
  /// - Returns: how many were written.
  /// - Throws: `.invalidInput` when one of them cannot be kept as it is; none is taken over then.
  public func insert(_ projects: [Project], replacing: Bool) throws(SyncError) -> Int {
    try writing {
      let insertion = try database.prepare(
        "INSERT INTO projects(\(ProjectRow.columns)) VALUES(?,?,?,?,?,?,?,?)")
      let update = try database.prepare(
        """
        UPDATE projects SET title=?2, body=?3, state=?4, due_at=?5,
          created_at=coalesce(?6,created_at), updated_at=?7, extra=?8 WHERE id=?1
        """)
      var written = 0
      for project in projects {
        let current = try row(project.id)
        if let current, !replacing || current.isEqual(exceptStamps: project) { continue }
        try (current == nil ? insertion : update).run(ProjectRow.values(project))
        written += 1
      }
      return written
    }
  }
}

extension Project {
  /// Whether everything but the stamps is equal, byte by byte.
  fileprivate func isEqual(exceptStamps other: Project) -> Bool {
    func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
    return same(title, other.title) && same(body, other.body) && same(state, other.state)
      && same(dueAt ?? "", other.dueAt ?? "") && (dueAt == nil) == (other.dueAt == nil)
      && same(extra.json, other.extra.json)
      && (other.createdAt == nil || createdAt == other.createdAt)
  }
}
