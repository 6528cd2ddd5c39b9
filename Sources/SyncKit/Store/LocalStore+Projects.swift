extension LocalStore {
  /// Adds a project.
  ///
  /// - Throws: `.invalidInput` when the id is taken or a field cannot be kept as it is.
  public func add(_ draft: ProjectDraft) throws(SyncError) -> Project {
    throw SyncError(.store, "not built")
  }

  /// Changes a project. An edit that changes nothing leaves its stamp alone.
  ///
  /// - Throws: `.notFound`, `.invalidInput`.
  public func edit(_ id: ProjectID, _ edit: ProjectEdit) throws(SyncError) -> Project {
    throw SyncError(.store, "not built")
  }

  /// Removes a project; its last version stays in the history.
  ///
  /// - Throws: `.notFound`.
  public func remove(_ id: ProjectID) throws(SyncError) {
    throw SyncError(.store, "not built")
  }

  public func project(_ id: ProjectID) throws(SyncError) -> Project? {
    throw SyncError(.store, "not built")
  }

  /// Finds the id that a person means: the whole id, or its beginning of four characters or more.
  ///
  /// - Parameter includingDeleted: whether ids that only the history knows count as well.
  /// - Throws: `.notFound`; `.invalidInput` when several ids begin so.
  public func resolve(
    _ text: String, includingDeleted: Bool = false
  ) throws(SyncError) -> ProjectID {
    throw SyncError(.store, "not built")
  }

  /// Hands over every project, one at a time, in the order of their ids' bytes.
  ///
  /// - Parameter state: only projects in this state.
  /// - Throws: what `body` throws, which ends the reading; `CancellationError`.
  public func forEachProject(
    state: String? = nil, _ body: (Project) throws -> Void
  ) throws {
    throw SyncError(.store, "not built")
  }

  public func count() throws(SyncError) -> Int {
    throw SyncError(.store, "not built")
  }

  /// Takes over projects with their ids and stamps, in one transaction.
  ///
  /// - Parameter replacing: whether a project whose id is taken replaces that one, as an edit; else
  ///   it is skipped.
  /// - Returns: how many were written.
  public func insert(_ projects: [Project], replacing: Bool) throws(SyncError) -> Int {
    throw SyncError(.store, "not built")
  }

  /// Reads some projects: one answer for each id, in the order of `ids`.
  package func projects(_ ids: [ProjectID]) throws(SyncError) -> [Project?] {
    throw SyncError(.store, "not built")
  }
}
