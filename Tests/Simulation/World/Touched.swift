import SyncKit

/// What a change through a store's own methods came to.
struct Touched: Sendable {
  var before: Project?
  var after: Project?
  var isTried = false
  var deletes = false
  var writes = false
  var hasFailed = false
  var reason = ""
}

extension LocalStore {
  /// Changes a record as a person does, and says what it was before, with nothing in between.
  func touch(_ event: Event, _ id: ProjectID, token: String) -> Touched {
    var touched = Touched()
    do {
      touched.before = try project(id)
      let isThere = touched.before != nil
      switch event.verb {
      case .add where !isThere:
        (touched.isTried, touched.writes) = (true, true)
        touched.after = try add(ProjectDraft(id: id, title: token, body: "new"))
      case .edit where isThere:
        (touched.isTried, touched.writes) = (true, true)
        var edit = ProjectEdit(title: token)
        if event.other % 2 == 0 { edit.body = "body of \(token)" }
        if event.other % 3 == 0 { edit.state = event.amount == 0 ? "doing" : "done" }
        touched.after = try self.edit(id, edit)
      case .remove where isThere:
        (touched.isTried, touched.deletes) = (true, true)
        try remove(id)
      case .recreate where isThere:
        (touched.isTried, touched.deletes, touched.writes) = (true, true, true)
        try remove(id)
        touched.after = try add(ProjectDraft(id: id, title: token))
      default: break
      }
    } catch {
      touched.hasFailed = true
      touched.reason = "\(error)"
    }
    return touched
  }
}

extension LocalStore {
  /// Decides every conflict that waits, and has two versions still.
  ///
  /// - Returns: what went wrong.
  func resolveAll(keeping side: Side) -> String? {
    do {
      for conflict in try conflicts(remote: World.url) where conflict.local != nil {
        try resolve(conflict, keep: ConflictWinner(side), remote: World.url)
      }
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension Database {
  /// The whole of a row that was written here.
  func project(_ id: ProjectID) throws -> Project? {
    let row = try prepare(
      "SELECT title, body, state, due_at, created_at, updated_at FROM projects WHERE id=?")
    defer { row.reset() }
    try row.bind(id.string, at: 1)
    guard try row.step() else { return nil }
    return Project(
      id: id, title: row.text(0), body: row.text(1), state: row.optionalText(2) ?? "todo",
      dueAt: row.optionalText(3),
      createdAt: row.optionalInteger(4).map { Timestamp(microseconds: $0) },
      updatedAt: Timestamp(microseconds: row.integer(5)))
  }
}
