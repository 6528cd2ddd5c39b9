extension LocalStore {
  /// Ends a run: writes down its report, forgets journal entries that every remote agreed to and
  /// versions older than `historyKeep`, and brings the write-ahead log into the file.
  ///
  /// - Parameters:
  ///   - collectionVersion: the remote's, when both sides are known to be equal; nil forgets it.
  ///   - seesAll: whether both sides were seen whole, and agree. From then on the journal names every
  ///     record that is here otherwise than the base says.
  ///   - clockSkew: how far the remote's clock is ahead; nil keeps what was known.
  package func finishRun(
    remote: Int64, reportJSON: String, at: Timestamp, succeeded: Bool,
    collectionVersion: CollectionVersion?, seesAll: Bool = false, clockSkew: Duration? = nil,
    historyKeep: Duration
  ) throws(SyncError) {
    try writing {
      try database.run(
        """
        UPDATE syncd_remote SET last_run=?2, last_run_at=?3, collection_version=?5,
          last_success=iif(?4,?3,last_success), has_synced=max(has_synced,?4),
          rolled_back=iif(?4,0,rolled_back), clock_skew=coalesce(?6,clock_skew),
          compared_at=iif(?7,?3,compared_at) WHERE key=?1
        """,
        [
          .integer(remote), .text(reportJSON), .integer(at.microseconds),
          .integer(succeeded ? 1 : 0), SQLValue(collectionVersion?.raw),
          SQLValue(clockSkew?.microseconds), .integer(seesAll ? 1 : 0),
        ])
      try settleJournal(
        remote: remote, succeeded: succeeded, everythingAgreed: collectionVersion != nil)
      try database.run("DELETE FROM syncd_replaced")
      try database.run(
        "DELETE FROM syncd_history WHERE at<? AND NOT \(Triggers.isNeeded("syncd_history"))",
        [.integer(at.microseconds.subtractingSaturated(historyKeep.microseconds))])
      if hasChangedBase { try Lineage.rotate(database, storeID: storeID, sidecar: sidecar) }
    }
    if hasChangedBase { Lineage.settle(database, sidecar: sidecar) }
    hasChangedBase = false
    file.settle()
  }

  /// Forgets the entries of the journal that every remote agrees to. Where those are all there are,
  /// the table is emptied as a whole, which costs nothing by the entry.
  ///
  /// A deletion of what a remote is not known to have may be one of a record that it stored all the
  /// same, its acknowledgement lost. Only a run with that remote that went through has seen that it does
  /// not have it: the entry stays until every other remote has had one since.
  ///
  /// - Parameters:
  ///   - remote: the one that the run was with.
  ///   - succeeded: whether the run went through, with nothing left that failed or waits.
  ///   - everythingAgreed: whether the run left nothing to do that its plan saw. Then only what came
  ///     after the plan can be pending, and other remotes.
  private func settleJournal(
    remote: Int64, succeeded: Bool, everythingAgreed: Bool
  ) throws {
    guard succeeded else {
      return try database.run(Journal.settleAll + " AND operation='put'")
    }
    if everythingAgreed, let plannedSequence,
      try database.integer("SELECT max(seq) FROM syncd_journal") ?? 0 <= plannedSequence,
      try database.integer("SELECT count(*) FROM syncd_remote") == 1
    {
      return try database.run("DELETE FROM syncd_journal")
    }
    let isSeen = Journal.isSeen("entry", byAllBut: "\(remote)")
    let hasPending = try database.integer(
      """
      SELECT 1 FROM syncd_journal AS entry
        WHERE NOT (\(Journal.isSettled("entry")) AND \(isSeen)) LIMIT 1
      """)
    try database.run(
      hasPending == nil
        ? "DELETE FROM syncd_journal"
        : "\(Journal.settleAll) AND \(Journal.isSeen("syncd_journal", byAllBut: "\(remote)"))")
  }

  /// Takes note of a run that ended before anything was agreed: offline, refused, unauthorized.
  package func noteRun(url: String, reportJSON: String, at: Timestamp) throws(SyncError) {
    try writing {
      try database.run(
        """
        INSERT INTO syncd_remote(url, last_run, last_run_at) VALUES(?1,?2,?3)
          ON CONFLICT(url) DO UPDATE SET last_run=?2, last_run_at=?3
        """, [.text(RemoteIdentity.text(of: url)), .text(reportJSON), .integer(at.microseconds)])
    }
    file.settle()
  }
}

extension Int64 {
  func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}
