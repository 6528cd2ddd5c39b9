/// Decides one id again, with what both sides hold now, after its planned operation did not find
/// what it supposed.
struct Redecision: Sendable {
  let run: SyncRun
  let state: RunState

  /// Rounds before the id is reported; servers exist whose conditions never hold.
  private static let rounds = 3

  func settle(_ planned: PlannedOperation) async throws {
    for _ in 0..<Self.rounds {
      if try await decideAndAct(planned) { return }
    }
    state.fail(
      planned.id, .update, status: 412,
      message: "the remote refused the condition \(Self.rounds) times although it was read anew "
        + "each time; see whether its entity tags are stable")
  }

  /// - Returns: whether the id is settled, one way or another.
  private func decideAndAct(_ planned: PlannedOperation) async throws -> Bool {
    let id = planned.id
    guard let answer = try await run.remote.fetch([id]).first else { return false }
    if let complaint = answer.complaint {
      try await refuse(id, answer.status, complaint, local: nil, remote: nil)
      return true
    }
    let remote = answer.record
    let local = try await run.store.projects([id]).first ?? nil
    let base = state.rules.trusted(
      try await run.store.baseRow(of: id, remote: state.remoteKey), remote: remote?.version)
    if let local, let remote {
      return try await settle(local, remote, base)
    }
    var decision = state.rules.reconciler.decide(
      local: local.map { LocalEntry(updatedAt: $0.updatedAt) },
      remote: remote?.digest.entry,
      base: base?.entry)
    if let remote, decision == .append(to: .local),
      try await !run.store.deletedHere([remote.project]).isEmpty
    {
      decision = state.rules.reconciler.decide(
        local: nil, remote: remote.digest.entry, base: remote.digest.agreement)
    }
    if let local, state.rules.keepsAway(decision, localUpdatedAt: local.updatedAt, base: base) {
      decision = .keep(on: .local)
    }
    if remote == nil, planned.remote != nil, await isDoubtful(decision) {
      try await run.noteUnfound(id, state)
      return true
    }
    return try await act(decision, id, local: local, remote: remote)
  }

  /// Whether it matters that a record which is listed and not found may be there all the same: no guard
  /// has counted a deletion here, and only a condition keeps a new record from taking its place.
  private func isDoubtful(_ decision: Decision) async -> Bool {
    switch decision {
    case .delete(from: .local), .forget: true
    case .append(to: .remote): await run.remote.conditionalWrites != true
    default: false
    }
  }

  private func settle(
    _ local: Project, _ remote: RemoteRecord, _ base: BaseRow?
  ) async throws -> Bool {
    var (decision, merged) = try await run.decide(
      state.rules, local: local, remote: remote, base: base)
    if case .conflict = decision,
      let decided = try await run.store.decision(
        of: local.id, remote: state.remoteKey, local: local.updatedAt, version: remote.version)
    {
      decision = .conflict(winner: decided)
    }
    guard decision == .conflict(winner: .merged), let merged else {
      return try await act(decision, local.id, local: local, remote: remote)
    }
    let version = MergedVersion(project: merged, remote: remote, expected: local.updatedAt)
    let written = try await run.store.merge([version], remote: state.remoteKey).first ?? nil
    guard let written else {
      state.countDeferred(1)
      return true
    }
    state.count(.conflictMerges)
    return try await put(written, over: remote, .update(.remote))
  }

  private func act(
    _ decision: Decision, _ id: ProjectID, local: Project?, remote: RemoteRecord?
  ) async throws -> Bool {
    switch decision {
    case .unchanged, .compareContents: return true
    case .forget:
      try await state.acknowledge([.forgotten(id)])
    case .adopt:
      guard let local, let remote else { return true }
      state.update { $0.adopted += 1 }
      // Equal stamps alone make an agreement, but not a copy.
      let isSame = ContentComparison(local: local, remote: remote.project) == .same
      try await state.acknowledge([.agreed(local, remote.digest, same: isSame)])
    case .keep: state.update { $0.kept += 1 }
    case .leaveNewer: state.update { $0.remoteNewer += 1 }
    case .conflict(nil):
      state.countWaiting(1)
      let waiting = SetAside(
        id: id.string, action: SetAside.conflictAction, message: SetAside.conflictMessage,
        since: run.time.now, localUpdatedAt: local?.updatedAt, remoteVersion: remote?.version)
      try await run.store.setAside([waiting], remote: state.remoteKey)
      if let remote { try await run.store.keepWaiting(remote, remote: state.remoteKey) }
    case .conflict(.merged):
      // What can be merged never comes here.
      return false
    case .append(.remote), .update(.remote), .conflict(.local):
      return try await put(local, over: remote, decision)
    case .delete(.remote):
      return try await delete(remote)
    case .append(.local), .update(.local), .conflict(.remote):
      guard let remote else { return true }
      let isConflict = decision == .conflict(winner: .remote)
      try await apply(
        .put(remote, expected: local?.updatedAt, reason: isConflict ? .conflict : .overwritten),
        as: isConflict ? .conflictRemoteWins : local == nil ? .appendLocal : .updateLocal)
    case .delete(.local):
      // It came and went while we looked, and no guard has counted this deletion.
      state.countDeferred(1)
    }
    return true
  }

  private func put(
    _ local: Project?, over remote: RemoteRecord?, _ decision: Decision
  ) async throws -> Bool {
    guard let local else { return true }
    let isConflict = decision == .conflict(winner: .local)
    try await keep(remote, isConflict ? .conflict : .overwritten)
    let condition: WriteCondition
    if let remote {
      condition = .matches(remote.digest)
    } else {
      let base = try await run.store.baseRow(of: local.id, remote: state.remoteKey)
      condition = run.conditionOfNew(local, base: base?.entry)
    }
    var outcome = try await write(.put(local, condition))
    if case .deletedSince(let version) = outcome {
      // Its upload was stored, which nobody here heard of, or a later version was, and then deleted: both
      // sides agreed on it, and the next run deletes it here by the rules, past the guards. What was gone from here too and
      // was put back under its own stamp is meant to be there.
      guard try await run.store.hasSuperseded(local) else {
        let digest = RemoteDigest(
          id: local.id, updatedAt: local.updatedAt, version: version, etag: version.raw)
        try await state.acknowledge([.agreed(local, digest)])
        state.countDeferred(1)
        return true
      }
      outcome = try await write(.put(local, .absent))
    }
    guard let digest = outcome?.held else {
      return try await settled(local.id, outcome, local: local, remote: remote)
    }
    state.update { report in
      if remote == nil { report.remote.appended += 1 } else { report.remote.updated += 1 }
      if isConflict { report.conflicts += 1 }
    }
    try await state.acknowledge([.agreed(local, digest, same: outcome == .stored(digest))])
    return true
  }

  private func delete(_ remote: RemoteRecord?) async throws -> Bool {
    guard let remote else { return true }
    try await keep(remote, .deleted)
    let outcome = try await write(.delete(remote.project.id, .matches(remote.digest)))
    guard case .deleted = outcome else {
      return try await settled(remote.project.id, outcome, local: nil, remote: remote)
    }
    state.update { $0.remote.deleted += 1 }
    try await state.acknowledge([.forgotten(remote.project.id)])
    return true
  }

  private func write(_ write: RemoteWrite) async throws -> WriteOutcome? {
    let result = try await run.remote.write([write])
    state.noteVersions(of: result)
    return result.outcomes.first
  }

  private func settled(
    _ id: ProjectID, _ outcome: WriteOutcome?, local: Project?, remote: RemoteRecord?
  ) async throws -> Bool {
    guard case .refused(let status, let message) = outcome else { return false }
    try await refuse(id, status, message, local: local, remote: remote)
    return true
  }

  private func refuse(
    _ id: ProjectID, _ status: Int, _ message: String, local: Project?, remote: RemoteRecord?
  ) async throws {
    var operation = PlannedOperation(id: id, action: .updateRemote)
    operation.local = local.map { LocalEntry(updatedAt: $0.updatedAt) }
    operation.remote = remote?.digest
    try await run.setAside(operation, status: status, message: message, state)
  }

  private func keep(_ remote: RemoteRecord?, _ reason: HistoryVersion.Reason) async throws {
    guard let remote else { return }
    try await run.store.keep([KeptVersion(of: remote, reason: reason)])
  }

  private func apply(_ change: LocalChange, as action: PlanAction) async throws {
    let applied = try await run.store.apply([change], remote: state.remoteKey)
    if applied.first == true { state.count(action) } else { state.countDeferred(1) }
  }
}
