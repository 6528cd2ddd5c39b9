extension LocalStore {
  /// Takes note of records that are left alone. One that was set aside before for the same reason
  /// keeps its `since`.
  package func setAside(_ records: [SetAside], remote: Int64) throws(SyncError) {
    throw SyncError(.store, "not built")
  }

  /// Forgets that these records were set aside; nil forgets all of them.
  package func clearSetAside(_ ids: [String]?, remote: Int64) throws(SyncError) {
    throw SyncError(.store, "not built")
  }

  /// The records set aside for one remote, by id; conflicts that wait for a decision among them.
  package func setAsides(remote: Int64) throws(SyncError) -> [SetAside] {
    throw SyncError(.store, "not built")
  }
}
