extension LocalStore {
  /// What is known about the remote at `url`.
  ///
  /// - Parameter remoteID: what the remote calls itself, if it does. When it differs from what the
  ///   base was made with, the base is not used.
  package func remoteState(url: String, remoteID: String?) throws(SyncError) -> RemoteState {
    throw SyncError(.store, "not built")
  }

  /// Makes the base of a remote ready to be written: makes its row, or empties the base when it
  /// belongs to another remote at the same URL.
  ///
  /// - Returns: the key that names the base.
  package func openRemote(
    url: String, remoteID: String?, dialect: String
  ) throws(SyncError) -> Int64 {
    throw SyncError(.store, "not built")
  }

  /// Takes note whether the remote honours `If-Match`.
  package func note(conditional: Bool, remote: Int64) throws(SyncError) {
    throw SyncError(.store, "not built")
  }

  /// Writes down what both sides agree on, in one transaction that may be lost with the power; the
  /// next run then finds it out again.
  package func commit(
    _ acknowledgements: [Acknowledgement], remote: Int64
  ) throws(SyncError) {
    throw SyncError(.store, "not built")
  }
}
