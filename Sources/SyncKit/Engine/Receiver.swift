/// Carries out the part of a plan that writes to the local store.
///
/// Contents come from the listing or are fetched; then one durable transaction a page writes them,
/// each on the condition that the local record is still as the plan saw it.
struct Receiver: Sendable {
  let run: SyncRun
  let state: RunState

  func perform() async throws {
    for action in PlanAction.receives { try await perform(action) }
  }

  private func perform(_ action: PlanAction) async throws {
    var last: ProjectID?
    var size = PageSize()
    while true {
      let page = try await run.store.plannedOperations(action, after: last, limit: size.records)
      guard let end = page.last else { return }
      last = end.id
      let contents = try await run.contents(of: page)
      size.learn(from: contents)
      try await receive(page, contents)
      state.countDone(page.count)
    }
  }

  private func receive(_ page: [PlannedOperation], _ contents: [FetchOutcome]) async throws {
    var changes: [(operation: PlannedOperation, change: LocalChange)] = []
    var merges: [(operation: PlannedOperation, remote: RemoteRecord)] = []
    var changed: [PlannedOperation] = []
    for (operation, outcome) in zip(page, contents) {
      switch outcome {
      case .unreadable(let fault):
        try await run.setAside(operation, status: 0, message: fault.reason, state)
      case .refused(let status, let message):
        try await run.setAside(operation, status: status, message: message, state)
      case .absent:
        // A listing that lacks an id proves nothing by itself; this answer confirms it.
        if operation.action == .deleteLocal, let local = operation.local {
          changes.append(
            (operation, .delete(operation.id, expected: local.updatedAt, reason: .deleted)))
        } else {
          changed.append(operation)
        }
      case .record(let record):
        if operation.action == .deleteLocal || record.version != operation.remote?.version {
          changed.append(operation)
        } else if operation.action == .conflictMerges {
          merges.append((operation, record))
        } else {
          let reason: HistoryVersion.Reason =
            operation.action == .conflictRemoteWins ? .conflict : .overwritten
          changes.append(
            (operation, .put(record, expected: operation.local?.updatedAt, reason: reason)))
        }
      }
    }
    try await apply(changes)
    changed += try await merge(merges)
    for operation in changed { try await Redecision(run: run, state: state).settle(operation) }
  }

  /// Writes merged versions, which the sender then sends.
  ///
  /// - Returns: what is to be decided again.
  private func merge(
    _ merges: [(operation: PlannedOperation, remote: RemoteRecord)]
  ) async throws -> [PlannedOperation] {
    var changed: [PlannedOperation] = []
    var versions: [MergedVersion] = []
    let locals = try await run.store.projects(merges.map(\.operation.id))
    for ((operation, remote), local) in zip(merges, locals) {
      guard let local, local.updatedAt == operation.local?.updatedAt else {
        state.countDeferred(1)
        continue
      }
      let (decision, merged) = try await run.decide(
        state.rules, local: local, remote: remote, base: operation.base)
      if decision == .conflict(winner: .merged), let merged {
        versions.append(
          MergedVersion(project: merged, remote: remote, expected: local.updatedAt))
      } else {
        changed.append(operation)
      }
    }
    let written = try await run.store.merge(
      versions, remote: state.remoteKey, replanning: true)
    for project in written {
      if project == nil { state.countDeferred(1) } else { state.count(.conflictMerges) }
    }
    return changed
  }

  private func apply(
    _ changes: [(operation: PlannedOperation, change: LocalChange)]
  ) async throws {
    guard !changes.isEmpty else { return }
    let applied = try await run.store.apply(changes.map(\.change), remote: state.remoteKey)
    for ((operation, _), isApplied) in zip(changes, applied) {
      if isApplied {
        state.count(operation.action)
      } else if try await isAsPlanned(operation) {
        try await run.setAside(
          operation, status: 0, message: "the local store's rules refuse what the remote holds",
          state)
      } else {
        state.countDeferred(1)
      }
    }
  }

  /// Whether the local record is as the plan saw it, so that nothing but the store's own rules can
  /// have refused a change.
  private func isAsPlanned(_ operation: PlannedOperation) async throws -> Bool {
    let local = try await run.store.projects([operation.id]).first ?? nil
    return local?.updatedAt == operation.local?.updatedAt
  }
}

extension RunState {
  /// Counts one operation that was carried out in the local store.
  func count(_ action: PlanAction) {
    update { report in
      switch action {
      case .appendLocal: report.local.appended += 1
      case .deleteLocal: report.local.deleted += 1
      case .conflictRemoteWins, .conflictMerges:
        report.conflicts += 1
        report.local.updated += 1
      default: report.local.updated += 1
      }
    }
  }
}
