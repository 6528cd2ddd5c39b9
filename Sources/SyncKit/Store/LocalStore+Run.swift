extension LocalStore {
  /// Ends a run: writes down its report, forgets journal entries that every remote agreed to and
  /// versions older than `historyKeep`, and brings the write-ahead log into the file.
  ///
  /// - Parameter collectionVersion: the remote's, when both sides are known to be equal; nil forgets it.
  package func finishRun(
    remote: Int64, reportJSON: String, at: Timestamp, succeeded: Bool,
    collectionVersion: CollectionVersion?, historyKeep: Duration
  ) throws(SyncError) {
    throw SyncError(.store, "not built")
  }

  /// Makes sure that the file is sound before anything in it is believed: looks at every page,
  /// unless the file is as the last run left it.
  ///
  /// - Throws: `.store` when it is damaged; `CancellationError` never.
  package func verifyIntegrity() throws(SyncError) {
    throw SyncError(.store, "not built")
  }

  /// Looks at everything: pages, indices, constraints and references.
  ///
  /// - Throws: `.store` with what was found.
  public func check() throws(SyncError) {
    throw SyncError(.store, "not built")
  }

  /// Whether the store is an older copy of itself, put back in place: what it lacks may be there
  /// because it came later, and is no deletion.
  package var isRestored: Bool { restored }

  /// Forgets that the store was restored, once somebody has said that it is to be believed.
  package func clearRestored() throws(SyncError) {
    throw SyncError(.store, "not built")
  }
}
