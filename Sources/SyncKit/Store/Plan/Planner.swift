/// What a plan is made by.
package struct PlanRules: Sendable, Equatable {
  package var reconciler: Reconciler
  /// Whether records that were set aside are tried again although nothing changed.
  package var retriesFailed = false
  /// Whether the store is an older copy of itself: what it lacks or still has proves nothing.
  package var isRestored = false
  /// Whether the remote went back to an older state of itself since it was last agreed with.
  package var isRolledBack = false

  package init(reconciler: Reconciler) {
    self.reconciler = reconciler
  }

  /// Whether a record is not sent although the remote lacks it: an older copy of this store still
  /// has what was agreed to be gone since.
  package func keepsAway(
    _ decision: Decision, localUpdatedAt: Timestamp, base: BaseRow?
  ) -> Bool {
    isRestored && decision == .append(to: .remote) && base?.entry.localUpdatedAt == localUpdatedAt
  }
}

extension PlanRules {
  /// What of the base is true still. What a remote lost when it went back was not deleted, and what
  /// it has instead is not an edit.
  package func trusted(_ base: BaseRow?, remote: Version?) -> BaseRow? {
    isRolledBack && base?.entry.remoteVersion != remote ? nil : base
  }
}

/// Decides for one id after another, writes what is to be done into the plan, and counts.
struct Planner {
  let database: Database
  let rules: PlanRules
  let remote: Int64?
  var counts = PlanCounts()
  private let hasSetAsides: Bool
  private let hasDeletions: Bool

  init(database: Database, rules: PlanRules, remote: Int64?) throws {
    self.database = database
    self.rules = rules
    self.remote = remote
    hasSetAsides =
      try database.integer(
        "SELECT 1 FROM syncd_set_aside WHERE remote = ? LIMIT 1", [.integer(remote ?? -1)]) != nil
    hasDeletions =
      try database.integer("SELECT 1 FROM syncd_journal WHERE operation = 'delete' LIMIT 1") != nil
  }

  /// Plans for all records at once where there are none but the local ones: what is decided of one
  /// that neither the remote nor the base knows is decided of all, whatever their stamps.
  ///
  /// - Returns: false where there are others.
  mutating func planOneSide() throws -> Bool {
    let others = try database.integer(
      """
      SELECT EXISTS(SELECT 1 FROM temp.listing)
        OR EXISTS(SELECT 1 FROM syncd_base WHERE remote = ?)
      """, [.integer(remote ?? -1)])
    guard others == 0, !hasSetAsides else { return false }
    let decision = rules.reconciler.decide(
      local: LocalEntry(updatedAt: Timestamp(microseconds: 0)), remote: nil, base: nil)
    if let action = PlanAction(decision) {
      try database.run(
        """
        INSERT INTO temp.plan(id, action, local_updated_at)
          SELECT id, ?, updated_at FROM projects INDEXED BY projects_digest ORDER BY id
        """, [.integer(action.rawValue)])
      counts.localRecords = database.changes
      counts[action] = counts.localRecords
      try Task.checkCancellation()
    } else {
      counts.localRecords = Int(try database.integer("SELECT count(*) FROM projects") ?? 0)
      counts.unchanged = counts.localRecords
    }
    return true
  }

  /// - Parameter isTombstone: whether the remote says that the record was deleted, rather than only
  ///   not naming it.
  mutating func plan(
    _ id: ProjectID, local: LocalEntry?, remote: RemoteDigest?, base: BaseRow?,
    isTombstone: Bool = false
  ) throws {
    if local != nil { counts.localRecords += 1 }
    if remote != nil { counts.remoteRecords += 1 }
    if base != nil { counts.known += 1 }
    let known = base
    let base = rules.trusted(known, remote: remote?.version)
    var decision = rules.reconciler.decide(local: local, remote: remote?.entry, base: base?.entry)
    if decision == .append(to: .local), let remote, try wasDeletedHere(remote) {
      decision = rules.reconciler.decide(
        local: nil, remote: remote.entry, base: remote.agreement)
    }
    guard var action = PlanAction(decision) else {
      counts.unchanged += 1
      return
    }
    if let local, rules.keepsAway(decision, localUpdatedAt: local.updatedAt, base: base) {
      action = .keepLocal
    }
    if rules.isRolledBack, action == .appendLocal, let remote, try wasHeld(remote) {
      action = rules.reconciler.deletions == .never ? .keepRemote : .deleteRemote
    }
    if hasSetAsides, action == .compare, let decided = try decided(id, local: local, remote: remote)
    {
      action = decided
    }
    let writes = PlanAction.sends.contains(action) || PlanAction.receives.contains(action)
    if hasSetAsides, writes || action == .compare,
      try isSetAside(id, local: local, remote: remote)
    {
      action = .setAside
    }
    // What the remote lost is sent as what it had once.
    try insert(
      PlannedOperation(
        id: id, action: action, local: local, remote: remote,
        base: action == .appendRemote ? known : base),
      isTombstone: isTombstone)
  }

  /// Leaves a record alone whose entry in the listing is at fault.
  mutating func setAside(_ id: ProjectID, reason: String, local: LocalEntry?) throws {
    if local != nil { counts.localRecords += 1 }
    counts[.setAside] += 1
  }

  private mutating func insert(_ operation: PlannedOperation, isTombstone: Bool) throws {
    counts[operation.action] += 1
    if operation.remote == nil, operation.base == nil, !isTombstone, let local = operation.local {
      return try insertNew(operation, updatedAt: local.updatedAt)
    }
    // A deletion is explicit when this store's journal holds it, or the remote's changes do.
    let statement = try database.prepare(
      """
      INSERT INTO temp.plan VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
        iif(?11, EXISTS(SELECT 1 FROM syncd_journal WHERE id = ?1 AND operation = 'delete'), ?12))
      """)
    let base = operation.base
    try statement.run([
      .text(operation.id.string), .integer(operation.action.rawValue),
      SQLValue(operation.local?.updatedAt.microseconds),
      SQLValue(operation.remote?.updatedAt?.microseconds),
      SQLValue(operation.remote?.version.raw), SQLValue(operation.remote?.etag),
      SQLValue(base?.entry.localUpdatedAt.microseconds), SQLValue(base?.entry.remoteVersion.raw),
      SQLValue(base?.etag), SQLValue(base.map { $0.isSame ? 1 : 0 }),
      .integer(operation.action == .deleteRemote ? 1 : 0),
      .integer(operation.action == .deleteLocal && isTombstone ? 1 : 0),
    ])
  }

  /// What only this store has, the whole of a first run: most columns stay empty.
  private func insertNew(_ operation: PlannedOperation, updatedAt: Timestamp) throws {
    let statement = try database.prepare(
      constant: "INSERT INTO temp.plan(action, id, local_updated_at) VALUES(?, ?, ?)")
    defer { statement.reset() }
    try statement.bind(operation.action.rawValue, at: 1)
    try statement.bind(operation.id.string, at: 2)
    try statement.bind(updatedAt.microseconds, at: 3)
    _ = try statement.step()
  }

  /// Whether this very version was here once: it was deleted since, and a remote that went back to an
  /// older state brings it up again.
  private func wasHeld(_ remote: RemoteDigest) throws -> Bool {
    try database.integer(
      "SELECT 1 FROM syncd_history WHERE id = ? AND updated_at = ? LIMIT 1",
      [.text(remote.id.string), SQLValue(remote.updatedAt?.microseconds)]) != nil
  }

  /// Whether this version seems to be one that was here and was deleted since, which is still in the
  /// journal: its upload was stored, and nobody here heard of it. Whether it is so is told by its
  /// contents, right before it is deleted there.
  private func wasDeletedHere(_ remote: RemoteDigest) throws -> Bool {
    guard hasDeletions, rules.reconciler.direction == .both else { return false }
    return try database.integer(
      """
      SELECT 1 FROM syncd_journal AS entry JOIN syncd_history AS was ON was.id = entry.id
        WHERE entry.id = ?1 AND entry.operation = 'delete' AND was.updated_at = ifnull(?2, was.updated_at)
          AND was.origin = 'local' AND was.reason IN ('edited', 'deleted', 'replaced') LIMIT 1
      """, [.text(remote.id.string), SQLValue(remote.updatedAt?.microseconds)]) != nil
  }

  /// What is known of a conflict on which neither side has changed since: what somebody decided, or
  /// that nobody has, by rules that leave it to people.
  private func decided(
    _ id: ProjectID, local: LocalEntry?, remote: RemoteDigest?
  ) throws -> PlanAction? {
    guard rules.reconciler.direction == .both, let key = self.remote, let local, let remote else {
      return nil
    }
    return try database.conflictAction(
      of: id, remote: key, local: local.updatedAt, version: remote.version
    ).flatMap { action in
      switch action {
      case SetAside.keepLocalAction: .conflictLocalWins
      case SetAside.keepRemoteAction: .conflictRemoteWins
      case SetAside.conflictAction where rules.reconciler.conflicts == .manual: .conflictWaits
      default: nil
      }
    }
  }

  /// Whether the record was refused before, and neither side has changed since.
  private func isSetAside(
    _ id: ProjectID, local: LocalEntry?, remote: RemoteDigest?
  ) throws -> Bool {
    guard !rules.retriesFailed, let key = self.remote else { return false }
    let found = try database.integer(
      """
      SELECT 1 FROM syncd_set_aside WHERE remote = ? AND id = ? 
        AND action NOT IN ('conflict', 'fetch', \(SetAside.decided))
      AND local_updated_at IS ? AND remote_version IS ?
      """,
      [
        .integer(key), .text(id.string), SQLValue(local?.updatedAt.microseconds),
        SQLValue(remote?.version.raw),
      ])
    return found != nil
  }
}
