extension LocalStore {
  /// Writes what a run decided, in one transaction that is on the disk when this returns.
  ///
  /// A change whose local record is no longer the one it was decided by is left out. What it
  /// overwrites or deletes is in the history first.
  ///
  /// - Returns: for each change whether it was made.
  package func apply(
    _ changes: [LocalChange], remote: Int64
  ) throws(SyncError) -> [Bool] {
    throw SyncError(.store, "not built")
  }
}
