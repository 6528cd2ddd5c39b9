/// Makes the plan: three ordered cursors, merged, one decision an id.
extension LocalStore {
  /// Plans from the whole listing. The listing is complete; nothing here crosses the network.
  ///
  /// - Parameter remote: the key of the base to use; nil on first contact.
  package func planFromListing(
    _ rules: PlanRules, remote: Int64?
  ) throws(SyncError) -> PlanCounts {
    try reporting {
      try database.transaction(.deferred) {
        var planner = try Planner(database: database, rules: rules, remote: remote)
        if try planner.planOneSide() { return planner.counts }
        var local = try IDCursor(
          database, "SELECT id, updated_at FROM projects INDEXED BY projects_digest ORDER BY id")
        var listed = try IDCursor(
          database, "SELECT id, updated_at, version, etag, fault FROM temp.listing ORDER BY id")
        var base = try IDCursor(
          database,
          """
          SELECT id, local_updated_at, remote_version, etag, same,
            coalesce(remote_updated_at, local_updated_at) FROM syncd_base
          WHERE remote = ? ORDER BY id
          """, [.integer(remote ?? -1)])
        // A cursor that stands on a row holds its table, and the next plan needs it.
        defer { for cursor in [local, listed, base] { cursor.statement.reset() } }
        var looked = 0
        while let id = least(least(local.id, listed.id), base.id) {
          if looked % 1024 == 0 { try Task.checkCancellation() }
          looked += 1
          let isLocal = local.id == id
          let isListed = listed.id == id
          let isBase = base.id == id
          let localEntry = isLocal ? local.localEntry : nil
          let baseRow = isBase ? base.baseRow : nil
          if isListed, let fault = listed.statement.optionalText(4) {
            try planner.setAside(id, reason: fault, local: localEntry)
            planner.counts.remoteRecords += 1
          } else {
            var remote = isListed ? listed.digest : nil
            // The version that was agreed on has the stamp that it had then.
            if isBase, remote?.updatedAt == nil, remote?.version == baseRow?.entry.remoteVersion {
              remote?.updatedAt = base.remoteStamp
            }
            try planner.plan(id, local: localEntry, remote: remote, base: baseRow)
          }
          if isLocal { try local.advance() }
          if isListed { try listed.advance() }
          if isBase { try base.advance() }
        }
        return planner.counts
      }
    }
  }

  /// Plans from what changed: the journal here, and there the changes that were handed to
  /// `appendChanges`, since both sides were as the base says. Without any, the remote still is.
  ///
  /// It costs what changed, not what there is.
  ///
  /// - Parameter comparesHere: whether the base and this store are compared too, which costs what
  ///   there is: where both sides were never known to be equal, the journal need not name all.
  package func planFromChanges(
    _ rules: PlanRules, remote: Int64, comparesHere: Bool = false
  ) throws(SyncError) -> PlanCounts {
    try reporting {
      try database.transaction(.deferred) {
        var planner = try Planner(database: database, rules: rules, remote: remote)
        let changed = try database.prepare(
          """
          SELECT ids.id, p.updated_at, b.local_updated_at, b.remote_version, b.etag, b.same,
            coalesce(b.remote_updated_at, b.local_updated_at), l.id IS NOT NULL, l.updated_at,
            l.version, l.etag, l.deleted
          FROM (SELECT id FROM syncd_journal UNION SELECT id FROM temp.listing
            \(comparesHere ? Self.differingHere : "")) AS ids
          LEFT JOIN projects p ON p.id = ids.id
          LEFT JOIN syncd_base b ON b.remote = ?1 AND b.id = ids.id
          LEFT JOIN temp.listing l ON l.id = ids.id ORDER BY ids.id
          """)
        defer { changed.reset() }
        try changed.bind([.integer(remote)])
        var looked = 0
        while try changed.step() {
          if looked % 1024 == 0 { try Task.checkCancellation() }
          looked += 1
          let id = ProjectID(trusted: changed.text(0))
          let local = changed.optionalInteger(1).map {
            LocalEntry(updatedAt: Timestamp(microseconds: $0))
          }
          let base = changed.isNull(2) ? nil : changed.baseRow(at: 2)
          let isListed = changed.integer(7) != 0
          let remote = isListed ? changed.changedDigest(id) : changed.unchangedDigest(id, base)
          // Made and deleted again before the other side knew.
          guard local != nil || remote != nil || base != nil else { continue }
          try planner.plan(
            id, local: local, remote: remote, base: base,
            isTombstone: changed.optionalInteger(11) == 1)
        }
        // What nothing names is on both sides as the base has it.
        var counts = planner.counts
        let known = try knownRecords(remote: remote)
        let untouched = known - counts.known
        counts.unchanged += untouched
        counts.localRecords += untouched
        counts.remoteRecords += untouched
        counts.known = known
        return counts
      }
    }
  }

  /// The ids of records that are here otherwise than the base says.
  private static let differingHere = """
    UNION SELECT projects.id FROM projects INDEXED BY projects_digest
      LEFT JOIN syncd_base ON remote = ?1 AND syncd_base.id = projects.id
      WHERE local_updated_at IS NOT updated_at
    UNION SELECT id FROM syncd_base WHERE remote = ?1
      AND NOT EXISTS(SELECT 1 FROM projects WHERE projects.id = syncd_base.id)
    """
}

extension Statement {
  /// What the changes say of the id; nil for a tombstone.
  fileprivate func changedDigest(_ id: ProjectID) -> RemoteDigest? {
    optionalText(9).map {
      RemoteDigest(
        id: id, updatedAt: optionalInteger(8).map(Timestamp.init(microseconds:)),
        version: Version($0), etag: optionalText(10))
    }
  }

  /// What the remote holds that the changes do not name.
  fileprivate func unchangedDigest(_ id: ProjectID, _ base: BaseRow?) -> RemoteDigest? {
    base.map {
      RemoteDigest(
        id: id, updatedAt: Timestamp(microseconds: integer(6)), version: $0.entry.remoteVersion,
        etag: $0.etag)
    }
  }
}

private func least(_ a: ProjectID?, _ b: ProjectID?) -> ProjectID? {
  guard let a, let b else { return a ?? b }
  return b < a ? b : a
}

/// A statement that yields rows in the order of ids, and stands on one of them.
private struct IDCursor {
  let statement: Statement
  private(set) var id: ProjectID?

  init(_ database: Database, _ sql: String, _ values: [SQLValue] = []) throws {
    statement = try database.prepare(sql)
    try statement.bind(values)
    try advance()
  }

  mutating func advance() throws {
    if try statement.step() {
      id = ProjectID(trusted: statement.text(0))
    } else {
      statement.reset()
      id = nil
    }
  }

  var localEntry: LocalEntry {
    LocalEntry(updatedAt: Timestamp(microseconds: statement.integer(1)))
  }

  var digest: RemoteDigest? {
    id.map {
      RemoteDigest(
        id: $0, updatedAt: statement.optionalInteger(1).map(Timestamp.init(microseconds:)),
        version: Version(statement.text(2)), etag: statement.optionalText(3))
    }
  }

  var baseRow: BaseRow { statement.baseRow(at: 1) }

  /// The stamp that the remote's record had when both sides agreed.
  var remoteStamp: Timestamp { Timestamp(microseconds: statement.integer(5)) }
}

extension Statement {
  /// The base row whose four columns start at `column`. An empty tag is the version's own text.
  func baseRow(at column: Int32) -> BaseRow {
    let version = Version(text(column + 1))
    return BaseRow(
      entry: BaseEntry(
        localUpdatedAt: Timestamp(microseconds: integer(column)), remoteVersion: version),
      etag: optionalText(column + 2).map { $0.isEmpty ? version.raw : $0 },
      isSame: integer(column + 3) != 0)
  }
}
