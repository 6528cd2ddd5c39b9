extension LocalStore {
  /// What there is to say about the store and one remote.
  ///
  /// - Parameter url: the remote's; nil counts every change since the store was made as pending.
  public func status(remote url: String?) throws(SyncError) -> StoreStatus {
    throw SyncError(.store, "not built")
  }
}
