/// Reads the plan back, a bounded page at a time.
extension LocalStore {
  /// The next operations with this action, in the order of ids.
  ///
  /// - Parameter after: the last id of the page before; nil for the first page.
  package func plannedOperations(
    _ action: PlanAction, after: ProjectID?, limit: Int
  ) throws(SyncError) -> [PlannedOperation] {
    try reporting {
      let select = try database.prepare(
        "SELECT \(Self.operationColumns) FROM temp.plan \(Self.pageCondition)")
      defer { select.reset() }
      try select.bind([
        .integer(action.rawValue), .text(after?.string ?? ""), .integer(Int64(limit)),
      ])
      var operations: [PlannedOperation] = []
      while try select.step() { operations.append(select.plannedOperation) }
      return operations
    }
  }

  /// The operations with this action of some ids; an id without one is left out.
  package func plannedOperations(
    _ action: PlanAction, _ ids: [ProjectID]
  ) throws(SyncError) -> [PlannedOperation] {
    try reporting {
      let select = try database.prepare(
        "SELECT \(Self.operationColumns) FROM temp.plan WHERE action = ? AND plan.id = ?")
      defer { select.reset() }
      return try ids.compactMap { id in
        select.reset()
        try select.bind([.integer(action.rawValue), .text(id.string)])
        return try select.step() ? select.plannedOperation : nil
      }
    }
  }

  /// The next operations with this action and what the store holds of their records now, as many as
  /// fit into `maximumBytes`; at least one, while there are any.
  package func outgoing(
    _ action: PlanAction, after: ProjectID?, limit: Int, maximumBytes: Int
  ) throws(SyncError) -> [OutgoingRecord] {
    try reporting {
      let select = try database.prepare(
        """
        SELECT \(Self.operationColumns), projects.* FROM temp.plan
        LEFT JOIN (SELECT \(ProjectRow.columns) FROM projects) AS projects
          ON projects.id = plan.id \(Self.pageCondition)
        """)
      defer { select.reset() }
      try select.bind([
        .integer(action.rawValue), .text(after?.string ?? ""), .integer(Int64(limit)),
      ])
      var records: [OutgoingRecord] = []
      var bytes = 0
      while bytes < maximumBytes, try select.step() {
        let project = select.isNull(12) ? nil : ProjectRow.read(select, from: 12)
        bytes += project?.weight ?? 0
        records.append(OutgoingRecord(operation: select.plannedOperation, project: project))
      }
      return records
    }
  }

  private static let operationColumns = """
    plan.id, action, local_updated_at, remote_updated_at, remote_version, plan.etag,
    base_local, base_version, base_etag, base_same,
    iif(remote_version IS NULL, NULL,
      (SELECT record FROM temp.listing WHERE listing.id = plan.id)),
    base_same IS 1 AND EXISTS(
      SELECT 1 FROM syncd_history h
      WHERE h.id = plan.id AND h.updated_at = base_local AND \(Triggers.wasHere("h")))
    """

  private static let pageCondition = "WHERE action = ? AND plan.id > ? ORDER BY plan.id LIMIT ?"

  /// Replaces the action of an operation whose contents have been compared; nil: nothing is to be
  /// done.
  ///
  /// - Parameters:
  ///   - isSame: whether the contents of both sides were found equal.
  ///   - remote: what was found of the remote's record, in place of what the listing said.
  ///   - contents: the remote's record itself, for whoever carries the operation out.
  package func settle(
    _ id: ProjectID, as action: PlanAction?, isSame: Bool = false, remote: RemoteDigest? = nil,
    contents: [UInt8]? = nil
  ) throws(SyncError) {
    try reporting {
      if let contents {
        try database.run(
          "UPDATE temp.listing SET record = ? WHERE id = ?", [.blob(contents), .text(id.string)])
      }
      if let action {
        try database.run(
          """
          UPDATE temp.plan SET action = ?1, base_same = iif(?2, 1, base_same),
            remote_updated_at = coalesce(?5, remote_updated_at),
            remote_version = coalesce(?6, remote_version), etag = iif(?6 IS NULL, etag, ?7)
          WHERE action = ?3 AND id = ?4
          """,
          [
            .integer(action.rawValue), .integer(isSame ? 1 : 0),
            .integer(PlanAction.compare.rawValue), .text(id.string),
            SQLValue(remote?.updatedAt?.microseconds), SQLValue(remote?.version.raw),
            SQLValue(remote?.etag),
          ])
      } else {
        try database.run(
          "DELETE FROM temp.plan WHERE action = ? AND id = ?",
          [.integer(PlanAction.compare.rawValue), .text(id.string)])
      }
    }
  }

  /// The totals that the guards look at.
  package func planTotals(
    _ counts: PlanCounts, _ known: RemoteState
  ) throws(SyncError) -> PlanTotals {
    try reporting {
      func explicit(_ action: PlanAction) throws -> Int {
        Int(
          try database.integer(
            "SELECT count(*) FROM temp.plan WHERE action = ? AND explicit",
            [.integer(action.rawValue)]) ?? 0)
      }
      var totals = PlanTotals()
      totals.local = PlanTotals.SideTotals(
        records: counts.localRecords, deletions: counts[.deleteLocal],
        explicitDeletions: try explicit(.deleteLocal))
      totals.remote = PlanTotals.SideTotals(
        records: counts.remoteRecords, deletions: counts[.deleteRemote],
        explicitDeletions: try explicit(.deleteRemote))
      totals.known = counts.known
      totals.hasSynced = known.hasSynced
      totals.isReplaced = known.isReplaced
      return totals
    }
  }

  /// Carries out, in one transaction, what needs no other side: agreements enter the base, and
  /// what neither side has leaves it.
  package func settleBase(remote: Int64) throws(SyncError) {
    let adopt = SQLValue.integer(PlanAction.adopt.rawValue)
    let forget = SQLValue.integer(PlanAction.forget.rawValue)
    let isNeeded = try reporting {
      try database.integer(
        "SELECT 1 FROM temp.plan WHERE action IN (?, ?) LIMIT 1", [adopt, forget]) != nil
    }
    guard isNeeded else { return }
    try changingBase {
      try touchChunks(ofPlanned: [.adopt, .forget], remote: remote)
      let former = try database.integer(
        """
        SELECT count(*) FROM temp.plan
        JOIN syncd_base b ON b.remote = ? AND b.id = plan.id WHERE plan.action = ?
        """, [.integer(remote), adopt])
      try database.run(
        """
        INSERT OR REPLACE INTO syncd_base(
          remote, id, local_updated_at, remote_version, etag, same, remote_updated_at)
        SELECT ?, id, local_updated_at, remote_version, etag, coalesce(base_same, 0),
          nullif(remote_updated_at, local_updated_at) FROM temp.plan WHERE action = ?
        """, [.integer(remote), adopt])
      countKnown(database.changes - Int(former ?? 0), remote: remote)
      try database.run(
        "DELETE FROM syncd_base WHERE remote = ? AND id IN (SELECT id FROM temp.plan WHERE action = ?)",
        [.integer(remote), forget])
      countKnown(-database.changes, remote: remote)
    }
  }

  /// The records that were refused before and that this plan leaves alone.
  package func untriedSetAsides(remote: Int64) throws(SyncError) -> [SetAside] {
    try reporting {
      let select = try database.prepare(
        """
        SELECT s.id, s.action, s.status, s.message, s.since FROM temp.plan
        JOIN syncd_set_aside s ON s.remote = ? AND s.id = plan.id WHERE plan.action = ?
          AND plan.id NOT IN (SELECT id FROM temp.fault) AND s.action <> '\(SetAside.droppedAction)'
        """)
      defer { select.reset() }
      try select.bind([.integer(remote), .integer(PlanAction.setAside.rawValue)])
      var records: [SetAside] = []
      while try select.step() {
        records.append(
          SetAside(
            id: select.text(0), action: select.text(1), status: Int(select.integer(2)),
            message: select.text(3), since: Timestamp(microseconds: select.integer(4))))
      }
      return records
    }
  }

  /// The base's row for one id.
  package func baseRow(of id: ProjectID, remote: Int64) throws(SyncError) -> BaseRow? {
    try reporting {
      let select = try database.prepare(
        """
        SELECT local_updated_at, remote_version, etag, same FROM syncd_base
        WHERE remote = ? AND id = ?
        """)
      defer { select.reset() }
      try select.bind([.integer(remote), .text(id.string)])
      return try select.step() ? select.baseRow(at: 0) : nil
    }
  }

  /// Some ids that the base knows, in their order.
  package func knownIDs(remote: Int64, limit: Int) throws(SyncError) -> [ProjectID] {
    try reporting {
      let select = try database.prepare(
        "SELECT id FROM syncd_base WHERE remote = ? ORDER BY id LIMIT ?")
      defer { select.reset() }
      try select.bind([.integer(remote), .integer(Int64(limit))])
      var ids: [ProjectID] = []
      while try select.step() { ids.append(ProjectID(trusted: select.text(0))) }
      return ids
    }
  }
}

extension Statement {
  fileprivate var plannedOperation: PlannedOperation {
    let id = ProjectID(trusted: text(0))
    var operation = PlannedOperation(id: id, action: PlanAction(rawValue: integer(1)) ?? .setAside)
    operation.local = optionalInteger(2).map { LocalEntry(updatedAt: Timestamp(microseconds: $0)) }
    operation.base = isNull(6) ? nil : baseRow(at: 6)
    if let version = optionalText(4).map({ Version($0) }) {
      // A listing without entity tags still names the version that our last write got one for.
      let agreed = operation.base.flatMap { $0.entry.remoteVersion == version ? $0.etag : nil }
      operation.remote = RemoteDigest(
        id: id, updatedAt: optionalInteger(3).map(Timestamp.init(microseconds:)), version: version,
        etag: optionalText(5) ?? agreed)
      if !isNull(10), let record = try? RecordDecoder().record(bytes(10)) {
        operation.listed = RemoteRecord(
          project: record.project, version: version, etag: operation.remote?.etag)
      }
    }
    operation.isRemoteCopyHeld =
      integer(11) != 0 && operation.base?.entry.remoteVersion == operation.remote?.version
    return operation
  }
}
