extension LocalStore {
  /// Adds a project.
  ///
  /// - Throws: `.invalidInput` when the id is taken or a field cannot be kept as it is.
  public func add(_ draft: ProjectDraft) throws(SyncError) -> Project {
    try draft.validate()
    return try writing {
      if let id = draft.id, try row(id) != nil {
        throw SyncError(.invalidInput, "there is a project \(id) already; edit that one")
      }
      let insertion = try database.prepare(
        """
        INSERT INTO projects(id, title, body, state, due_at, extra) VALUES(?,?,?,?,?,?)
          RETURNING id
        """)
      defer { insertion.clear() }
      try insertion.bind([
        SQLValue(draft.id?.string), .text(draft.title), .text(draft.body), .text(draft.state),
        SQLValue(draft.dueAt), draft.extra.json.isEmpty ? .null : .text(draft.extra.json),
      ])
      _ = try insertion.step()
      let id = ProjectID(trusted: insertion.text(0))
      while try insertion.step() {}
      return try existing(id)
    }
  }

  /// Changes a project. An edit that changes nothing leaves its stamp alone.
  ///
  /// - Throws: `.notFound`, `.invalidInput`.
  public func edit(_ id: ProjectID, _ edit: ProjectEdit) throws(SyncError) -> Project {
    try edit.validate()
    let changes: [(String, SQLValue)] =
      [("title", edit.title), ("body", edit.body), ("state", edit.state)]
      .compactMap { column, value in value.map { (column, .text($0)) } }
      + (edit.dueAt.map { [("due_at", SQLValue($0))] } ?? [])
    return try writing {
      _ = try existing(id)
      if !changes.isEmpty {
        let assignments = changes.map { "\($0.0)=?" }.joined(separator: ", ")
        try database.run(
          "UPDATE projects SET \(assignments) WHERE id=?", changes.map(\.1) + [.text(id.string)])
      }
      return try existing(id)
    }
  }

  /// Removes a project; its last version stays in the history.
  ///
  /// - Throws: `.notFound`.
  public func remove(_ id: ProjectID) throws(SyncError) {
    try writing {
      _ = try existing(id)
      try database.run("DELETE FROM projects WHERE id=?", [.text(id.string)])
    }
  }

  public func project(_ id: ProjectID) throws(SyncError) -> Project? {
    try reporting { try row(id) }
  }

  /// Reads some projects: one answer for each id, in the order of `ids`.
  package func projects(_ ids: [ProjectID]) throws(SyncError) -> [Project?] {
    try reporting { try ids.map(row) }
  }

  /// Hands over every project, one at a time, in the order of their ids' bytes.
  ///
  /// - Parameter state: only projects in this state.
  /// - Throws: what `body` throws, which ends the reading; `CancellationError`.
  public func forEachProject(
    state: String? = nil, _ body: (Project) throws -> Void
  ) throws {
    let rows = try reporting {
      let rows = try database.prepare(
        "SELECT \(ProjectRow.columns) FROM projects"
          + (state == nil ? "" : " WHERE coalesce(state,'todo')=?") + " ORDER BY id")
      if let state { try rows.bind(state, at: 1) }
      return rows
    }
    defer { rows.reset() }
    while try reporting({ try rows.step() }) {
      try Task.checkCancellation()
      try body(ProjectRow.read(rows))
    }
  }

  public func count() throws(SyncError) -> Int {
    try reporting { Int(try database.integer("SELECT count(*) FROM projects") ?? 0) }
  }

  // MARK: Rows

  func row(_ id: ProjectID) throws -> Project? {
    let row = try database.prepare("SELECT \(ProjectRow.columns) FROM projects WHERE id=?")
    defer { row.reset() }
    try row.bind(id.string, at: 1)
    return try row.step() ? ProjectRow.read(row) : nil
  }

  func existing(_ id: ProjectID) throws -> Project {
    guard let project = try row(id) else { throw SyncError(.notFound, "there is no project \(id)") }
    return project
  }
}
