extension SyncError {
  /// What SQLite refused, as the error of a store.
  ///
  /// - Parameter waited: how long it waited for a lock.
  init(_ error: DatabaseError, waited: Duration) {
    let path = error.path
    switch error.kind {
    case .busy:
      let holder = WriteLockHolder.find(storePath: path)
        .map { "process \($0.pid)\($0.name.map { " (\($0))" } ?? "")" }
      let seconds = waited.components.seconds
      self.init(
        .locked,
        "another process has held the store's write lock for \(seconds) s"
          + (holder.map { ": \($0)" } ?? "")
          + "; \(path) is unchanged, try again once it is done", underlying: error)
    case .full:
      self.init(
        .store,
        "the disk is full: \(path) could not be written and is as it was before;"
          + " make room and try again", underlying: error)
    case .damaged:
      self.init(damaged: path, finding: error.message, underlying: error)
    case .inaccessible:
      self.init(
        .store,
        "\(path) cannot be opened or written (\(error.message)); check that the directory"
          + " exists, the permissions, and the disk", underlying: error)
    case .constraint:
      self.init(.invalidInput, "the store does not take this: \(error.message)", underlying: error)
    case .interrupted, .other:
      self.init(.store, "\(path): \(error.message)", underlying: error)
    }
  }

  /// A file that must not be believed.
  init(damaged path: String, finding: String, underlying: (any Error)? = nil) {
    self.init(
      .store,
      "\(path) is damaged (\(finding)); nothing was read from it. Restore it from a backup,"
        + " or save what can be read with `sqlite3 \(path) .recover`, or move it away and fill a new"
        + " one from the remote by a run with direction \"pull\"", underlying: underlying)
  }
}

extension LocalStore {
  /// Runs `body`, whose errors of SQLite become errors of the store.
  func reporting<Result>(_ body: () throws -> Result) throws(SyncError) -> Result {
    do {
      return try body()
    } catch let error as SyncError {
      throw error
    } catch let error as DatabaseError {
      throw SyncError(error, waited: busyTimeout)
    } catch {
      throw SyncError(.store, "\(path): \(error)", underlying: error)
    }
  }

  /// Runs `body` as one transaction that writes.
  func writing<Result>(_ body: () throws -> Result) throws(SyncError) -> Result {
    try reporting { try database.transaction(.immediate, body) }
  }
}
