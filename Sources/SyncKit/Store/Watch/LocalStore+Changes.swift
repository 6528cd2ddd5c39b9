extension LocalStore {
  /// What changed here since the store's sequence was `sequence`, whichever process changed it, and
  /// is not yet agreed with the remote.
  ///
  /// The changes that runs make are none, in whichever process: they are agreed with the remote as
  /// they are made. A change that was made and undone, or sent, since then is none either.
  ///
  /// It reads on a connection of its own: it neither waits for a run of this process nor for anybody's write
  /// lock, and takes none. Where nobody wrote since the last look it costs one look at the file.
  ///
  /// - Parameters:
  ///   - sequence: the `latest` of the look before; 0 counts everything that is pending. One from
  ///     a future that the store does not have (it is an older copy, put back) counts as 0.
  ///   - url: the remote. Nil counts what any known remote does not have yet.
  /// - Throws: `.store`, `.locked`.
  public nonisolated func changesSince(
    _ sequence: Int64, remote url: String? = nil
  ) async throws(SyncError) -> LocalChanges {
    guard let changeReader else { return try await changesHere(sequence, remote: url) }
    return try await changeReader.look(since: sequence, remote: url)
  }

  /// A store without a file has this one connection.
  private func changesHere(
    _ sequence: Int64, remote url: String?
  ) throws(SyncError) -> LocalChanges {
    try reporting { try LocalChanges.read(database, since: sequence, remote: url) }
  }
}

extension LocalChanges {
  /// Reads the sequence and the journal as of one moment.
  static func read(
    _ database: Database, since sequence: Int64, remote url: String?
  ) throws -> LocalChanges {
    try database.transaction(.deferred) {
      let latest = try database.integer("SELECT seq FROM syncd_store") ?? 0
      let since = sequence <= latest ? sequence : 0
      let key = try url.map { url in
        try database.integer(
          "SELECT key FROM syncd_remote WHERE url=?", [.text(RemoteIdentity.text(of: url))])
      }
      let isNamed = try key != nil || database.integer("SELECT 1 FROM syncd_remote LIMIT 1") == nil
      let isPending =
        isNamed ? Journal.isPending(remote: "?2") : "?2=?2 AND NOT (\(Journal.isSettled("entry")))"
      let entries = try database.prepare(
        """
        SELECT count(*), count(*) FILTER (WHERE operation='delete') FROM syncd_journal AS entry
          WHERE seq>?1 AND \(isPending)
        """)
      defer { entries.reset() }
      // No remote has the key 0: nothing was agreed with it.
      try entries.bind([.integer(since), .integer((key ?? 0) ?? 0)])
      guard try entries.step() else { return LocalChanges(latest: latest) }
      let count = Int(entries.integer(0))
      return LocalChanges(
        latest: latest, count: count,
        areAllDeletions: count > 0 && entries.integer(1) == entries.integer(0))
    }
  }
}
