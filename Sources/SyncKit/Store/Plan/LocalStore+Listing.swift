/// The remote's listing, spilled into a temporary table of the store's own connection.
extension LocalStore {
  /// Forgets the listing and the plan of an earlier run.
  package func beginPlan() throws(SyncError) {
    try reporting {
      plannedSequence = try database.integer("SELECT seq FROM syncd_store")
      if hasPlanTables {
        // Emptied rather than made anew: every statement that names them would be prepared again.
        for table in Self.planTables { try database.run("DELETE FROM temp.\(table)") }
        return
      }
      try database.execute(
        """
        CREATE TEMP TABLE listing(
          id TEXT PRIMARY KEY, updated_at INTEGER, version TEXT, etag TEXT, fault TEXT, record BLOB,
          deleted INTEGER
        ) WITHOUT ROWID;
        CREATE TEMP TABLE fault(id TEXT, reason TEXT);
        CREATE TEMP TABLE plan(
          id TEXT, action INTEGER, local_updated_at INTEGER, remote_updated_at INTEGER,
          remote_version TEXT, etag TEXT, base_local INTEGER, base_version TEXT, base_etag TEXT,
          base_same INTEGER, explicit INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(action, id)
        ) WITHOUT ROWID;
        """)
      hasPlanTables = true
    }
  }

  private static let planTables = ["listing", "fault", "plan"]

  /// Gives back what a large plan took: on the disk, where temporary tables are that outgrow memory.
  func dropLargePlan() throws {
    guard hasPlanTables, try database.integer("PRAGMA temp.page_count") ?? 0 > 1000 else { return }
    for table in Self.planTables { try database.run("DROP TABLE temp.\(table)") }
    hasPlanTables = false
  }

  /// Adds entries of the listing of the remote at `url`, in any order.
  ///
  /// An id that comes twice with one version is one entry (a page shifted while it was read); with
  /// two versions it is at fault and left alone. Whole records are kept only where the base does
  /// not know their version, since only then can a rule ask for their contents.
  ///
  /// - Parameter keepsRecords: whether they are kept in any case.
  package func appendListing(
    _ entries: [ListedRecord], url: String, keepsRecords: Bool = false
  ) throws(SyncError) {
    try reporting {
      try database.transaction {
        let remote = try database.integer(
          "SELECT key FROM syncd_remote WHERE url = ?", [.text(RemoteIdentity.text(of: url))])
        for entry in entries {
          switch entry {
          case .digest(let digest): try append(digest, record: nil)
          case .record(let record):
            let keeps =
              try keepsRecords
              || baseVersion(of: record.project.id, remote: remote) != record.version
            try append(
              record.digest, record: keeps ? RecordEncoder().encode(record.project) : nil)
          case .unreadable(let fault): try append(fault)
          }
        }
      }
    }
  }

  /// Adds what changed on the remote, in the order in which it did.
  package func appendChanges(_ changes: [RemoteChange]) throws(SyncError) {
    try reporting {
      try database.transaction {
        let insert = try database.prepare(
          """
          INSERT OR REPLACE INTO temp.listing(id, updated_at, version, etag, deleted)
            VALUES(?,?,?,?,?)
          """)
        for change in changes {
          switch change {
          case .stored(let digest):
            try insert.run([
              .text(digest.id.string), SQLValue(digest.updatedAt?.microseconds),
              .text(digest.version.raw), SQLValue(digest.etag), .integer(0),
            ])
          case .deleted(let id):
            try insert.run([.text(id.string), .null, .null, .null, .integer(1)])
          case .absent(let id):
            try insert.run([.text(id.string), .null, .null, .null, .integer(0)])
          }
        }
      }
    }
  }

  /// Forgets what was listed so far.
  package func clearListing() throws(SyncError) {
    try reporting { try database.execute("DELETE FROM temp.listing; DELETE FROM temp.fault") }
  }

  private func append(_ digest: RemoteDigest, record: [UInt8]?) throws {
    let insert = try database.prepare(
      "INSERT OR IGNORE INTO temp.listing(id, updated_at, version, etag, record) VALUES(?,?,?,?,?)")
    try insert.run([
      .text(digest.id.string), SQLValue(digest.updatedAt?.microseconds), .text(digest.version.raw),
      SQLValue(digest.etag), record.map { .blob($0) } ?? .null,
    ])
    guard database.changes == 0 else { return }
    let listed = try database.text(
      "SELECT version FROM temp.listing WHERE id = ?", [.text(digest.id.string)])
    if listed.map({ Version($0) }) != digest.version {
      try append(
        UnreadableRecord(id: digest.id.string, reason: "listed twice with different versions"))
    }
  }

  private func append(_ fault: UnreadableRecord) throws {
    let isNew = try database.integer(
      "SELECT 1 FROM temp.fault WHERE id = ? AND id <> ''", [.text(fault.id)])
    guard isNew == nil else { return }
    try database.run(
      "INSERT INTO temp.fault(id, reason) VALUES(?, ?)", [.text(fault.id), .text(fault.reason)])
    guard !fault.id.isEmpty else { return }
    try database.run(
      """
      INSERT INTO temp.listing(id, fault) VALUES(?1, ?2)
      ON CONFLICT(id) DO UPDATE SET fault = excluded.fault
      """, [.text(fault.id), .text(fault.reason)])
  }

  private func baseVersion(of id: ProjectID, remote: Int64?) throws -> Version? {
    guard let remote else { return nil }
    return try database.text(
      "SELECT remote_version FROM syncd_base WHERE remote = ? AND id = ?",
      [.integer(remote), .text(id.string)]
    ).map { Version($0) }
  }

  /// The entries of the listing that cannot be taken over, and why.
  package func listingFaults() throws(SyncError) -> [UnreadableRecord] {
    try reporting {
      var faults: [UnreadableRecord] = []
      let select = try database.prepare("SELECT id, reason FROM temp.fault ORDER BY rowid")
      defer { select.reset() }
      while try select.step() {
        faults.append(UnreadableRecord(id: select.text(0), reason: select.text(1)))
      }
      return faults
    }
  }
}

extension LocalStore {
  /// Notes that a record cannot be taken over, so that the run reports it.
  package func noteFault(_ id: ProjectID, _ reason: String) throws(SyncError) {
    try reporting {
      try database.run(
        "INSERT INTO temp.fault(id, reason) VALUES(?, ?)", [.text(id.string), .text(reason)])
    }
  }
}
