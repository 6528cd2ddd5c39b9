#if os(Linux)
  internal import CLinux
#endif

extension LocalStore {
  /// Versions forgotten in one transaction: few enough that a writer hardly waits.
  private static let batch = 500

  /// Forgets superseded versions that are older than `historyKeep` and brings the write-ahead log
  /// into the file, as far as readers let it. No writer waits longer than for a batch of versions.
  ///
  /// What is set aside needs no such care: it is at most one entry a record, and every run brings it
  /// in line.
  ///
  /// - Throws: `.store`, `.locked`; `CancellationError` between two batches.
  package nonisolated func maintain(historyKeep: Duration, at now: Timestamp) async throws {
    while try await forgetVersions(olderThan: historyKeep, at: now) {
      try Task.checkCancellation()
    }
    await bringLogHome()
  }

  /// Gives back the memory that a run took, for a process that stays and has nothing to do for long.
  package func releaseMemory() {
    try? dropLargePlan()
    try? database.execute("PRAGMA shrink_memory")
    #if os(Linux)
      malloc_trim(0)
    #endif
  }

  /// What fails today is done tomorrow.
  private func bringLogHome() { try? database.checkpoint() }

  /// - Returns: whether there may be more.
  private func forgetVersions(
    olderThan historyKeep: Duration, at now: Timestamp
  ) throws(SyncError) -> Bool {
    try writing {
      try database.run(
        """
        DELETE FROM syncd_history WHERE version IN (
          SELECT version FROM syncd_history AS old
            WHERE at<?1 AND NOT \(Triggers.isNeeded("old")) LIMIT \(Self.batch))
        """, [.integer(now.microseconds.subtractingSaturated(historyKeep.microseconds))])
      return database.changes == Self.batch
    }
  }

  /// When both sides were last equal, by this remote's last run that ended so.
  package func lastSuccess(remote url: String) throws(SyncError) -> Timestamp? {
    try reporting {
      try database.integer(
        "SELECT last_success FROM syncd_remote WHERE url=?", [.text(RemoteIdentity.text(of: url))]
      ).map(Timestamp.init(microseconds:))
    }
  }
}
