/// One run, from the lock to the report: see the difference, plan, let the guards look, act.
struct SyncRun: Sendable {
  let store: LocalStore
  let remote: any RemoteStore
  let options: SyncOptions
  let time: any TimeSource
  /// Whether what is found out on the way is written down for runs to come.
  let takesNotes: Bool
  let emit: @Sendable (SyncEvent) -> Void

  /// What a record is appended to the remote on. In `push` this store's word is the last, whatever the
  /// remote says of deletions.
  ///
  /// - Parameter base: what was agreed on last. A record that is as it was then, and that `both` appends,
  ///   is one that the remote lost.
  func conditionOfNew(_ project: Project, base: BaseEntry?) -> WriteCondition {
    guard options.direction == .both else { return .absent }
    return base?.localUpdatedAt == project.updatedAt ? .lost : .new
  }

  /// What a run came to, and what the store is to remember of it.
  private struct Ending {
    var report: SyncReport
    var remoteKey: Int64?
    var version: CollectionVersion?
    /// Whether both sides were seen whole, rather than what changed, and agree.
    var seesAll = false
  }

  /// - Throws: `CancellationError` only.
  func perform() async throws -> SyncReport {
    let started = time.uptime
    let before = remote.traffic
    var report = SyncReport(direction: options.direction)
    do {
      let lock = try await StoreLock.acquire(storePath: store.path, wait: options.lockWait)
      defer { lock.release() }
      var ending: Ending
      do {
        ending = try await reconcile()
      } catch {
        if error is CancellationError || Task.isCancelled { throw CancellationError() }
        report.end(with: error)
        ending = Ending(report: report)
      }
      ending.report.measure(from: before, to: remote.traffic, seconds: time.uptime - started)
      report = ending.report
      if ![.storeError, .locked].contains(report.outcome) { try await remember(ending) }
    } catch {
      // A store that was interrupted says so in its own words.
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      report.end(with: error)
    }
    return report
  }

  private func reconcile() async throws -> Ending {
    try await store.verifyIntegrity()
    let difference = try await findDifference()
    var report = SyncReport(direction: options.direction)
    report.unchanged = difference.counts.unchanged
    if let refusal = try await refusal(of: difference) {
      report.outcome = .refused
      report.refused = refusal
      report.message = refusal.explanation
      return Ending(report: report)
    }
    let key = try await store.openRemote(
      url: remote.identity, remoteID: difference.listing.remoteID,
      dialect: difference.listing.dialect,
      keepsVersion: difference.isSinceVersion)
    if options.guards.forceDelete, difference.isRestored { try await store.clearRestored() }
    // Until a run has gone through, which may not be this one.
    if difference.rules.isRolledBack { try await store.noteRolledBack(remote: key) }
    report.note(difference.counts)
    // What is merged is written here and then sent.
    let planned =
      difference.counts.total(PlanAction.sends + PlanAction.receives)
      + difference.counts[.conflictMerges]
    emit(.planned(operations: planned))
    let state = RunState(
      report: report, rules: difference.rules, store: store, remoteKey: key,
      planned: planned, emit: emit)
    state.countDeferred(difference.deferred)
    state.countWaiting(difference.counts[.conflictWaits])
    try await act(difference, state)
    return Ending(
      report: state.report, remoteKey: key,
      version: state.agrees ? state.versionAfter(difference.listing.version) : nil,
      seesAll: difference.seesAll && state.agrees)
  }

  /// Carries out the plan. One record that fails never keeps another from being tried; what
  /// concerns the whole remote ends the run, with everything acknowledged so far in the base.
  private func act(_ difference: Difference, _ state: RunState) async throws {
    do {
      try await store.settleBase(remote: state.remoteKey)
      try await reportLeftAlone(state)
      try await store.settleSetAsides(remote: state.remoteKey, at: time.now)
      try await keepWaiting(state)
      try await noteUnfound(state)
      try await Receiver(run: self, state: state).perform()
      try await Sender(run: self, state: state).perform()
    } catch {
      try await state.commitAcknowledged()
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      state.update { $0.end(with: error) }
      return
    }
    try await state.commitAcknowledged()
    let (deferred, waiting) = (state.deferred, state.waiting)
    state.update { report in
      if !report.failed.isEmpty {
        report.outcome = .partial
      } else if waiting > 0 {
        report.outcome = .conflicts
      }
      report.message = report.remark(
        deferred: deferred, waiting: waiting, isRestored: difference.isRestored,
        isRolledBack: difference.rules.isRolledBack)
    }
  }

  /// Reports the records that this run leaves alone because of a fault of their own.
  private func reportLeftAlone(_ state: RunState) async throws {
    for fault in try await store.listingFaults() {
      state.update { report in
        report.failed.append(
          SyncReport.Failure(
            id: fault.id, action: .update, message: "left alone: \(fault.reason)"))
      }
    }
    for record in try await store.untriedSetAsides(remote: state.remoteKey) {
      state.update { $0.failed.append(SyncReport.Failure(record)) }
    }
  }

  private func remember(_ ending: Ending) async throws {
    guard let key = ending.remoteKey else {
      return try await store.noteRun(
        url: remote.identity, reportJSON: ending.report.json, at: time.now)
    }
    try await store.note(
      conditional: await remote.conditionalWrites, server: await remote.server, remote: key)
    let skew = remote.clockSkew?.least
    if let warning = skew.flatMap(StoreStatus.warning(ofSkew:)) { emit(.warning(warning)) }
    try await store.finishRun(
      remote: key, reportJSON: ending.report.json, at: time.now,
      succeeded: ending.report.outcome == .inSync, collectionVersion: ending.version,
      seesAll: ending.seesAll, clockSkew: skew, historyKeep: options.historyKeep)
  }
}
