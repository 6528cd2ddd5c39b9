extension LocalStore {
  /// The versions of a project that something took the place of, newest first; of a deleted
  /// project as well. Empty when there are none.
  public func history(of id: ProjectID) throws(SyncError) -> [HistoryVersion] {
    throw SyncError(.store, "not built")
  }

  /// Makes an old version the current one, as an ordinary edit, or as a new project under the same
  /// id when it was deleted.
  ///
  /// - Parameter version: nil takes the newest.
  /// - Throws: `.notFound`.
  public func restore(_ id: ProjectID, version: Int64? = nil) throws(SyncError) -> Project {
    throw SyncError(.store, "not built")
  }

  /// Keeps versions that are about to be lost. They are on the disk when this returns.
  package func keep(_ versions: [KeptVersion]) throws(SyncError) {
    throw SyncError(.store, "not built")
  }

  /// Whether the store holds, or once held, this very version of the record as its own.
  package func holds(
    version localUpdatedAt: Timestamp, of id: ProjectID
  ) throws(SyncError) -> Bool {
    throw SyncError(.store, "not built")
  }
}
