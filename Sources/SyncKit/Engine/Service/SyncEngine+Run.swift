extension SyncEngine {
  /// Stays: keeps both sides reconciled, at the start, when something changes, when the network comes
  /// back, and at intervals, until the task is cancelled. `SyncService` gives more of a hold on it.
  ///
  /// - Throws: `CancellationError`, once nothing goes on any more.
  public func run(
    connectivity: some Connectivity, options: ServiceOptions = ServiceOptions()
  ) async throws {
    try await SyncService(engine: self, connectivity: connectivity, options: options).run()
  }
}
