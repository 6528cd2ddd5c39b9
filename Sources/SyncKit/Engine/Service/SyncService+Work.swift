extension SyncService {
  /// Work that a child task carries out.
  enum Order: Sendable {
    case probe(any RemoteStore, CancelSignal)
    case run(SyncEngine, retryFailed: Bool, CancelSignal)
    case listen(any RemoteStore, CancelSignal)
    case watch(LocalStore, CancelSignal)
    case maintain(SyncEngine)
  }

  /// What ends the work that is under way.
  struct Signals: Sendable {
    var timer: CancelSignal?
    var probe: CancelSignal?
    var run: CancelSignal?
    var listener: CancelSignal?
    var watch: CancelSignal?
    var paths: CancelSignal?

    mutating func renew(_ signal: WritableKeyPath<Signals, CancelSignal?>) -> CancelSignal {
      let fresh = CancelSignal()
      self[keyPath: signal] = fresh
      return fresh
    }
  }

  func carryOut(_ order: Order) async {
    switch order {
    case .probe(let remote, let signal): await probe(remote, signal)
    case .run(let engine, let retryFailed, let signal):
      await run(engine, retryFailed: retryFailed, signal)
    case .listen(let remote, let signal): await listen(to: remote, signal)
    case .watch(let store, let signal): await follow(store, signal)
    case .maintain(let engine):
      // Nothing that somebody waits for; what fails today is done tomorrow.
      try? await engine.store.maintain(
        historyKeep: engine.options.historyKeep, at: engine.time.now)
    }
  }

  private func probe(_ remote: any RemoteStore, _ signal: CancelSignal) async {
    let result: ServiceMachine.ProbeResult
    do {
      try await signal.cancelling { try await remote.probe() }
      result = .good
    } catch is CancellationError {
      result = .cancelled
    } catch {
      standing.probeError = error
      standing.reason = "\(error)"
      result = .failed(error is SyncError ? SyncReport.Outcome(error) : .offline)
    }
    if orders != nil { handle(.probed(result)) }
  }

  private func run(_ engine: SyncEngine, retryFailed: Bool, _ signal: CancelSignal) async {
    await beginLooking(at: engine)
    var report: SyncReport?
    do {
      report = try await signal.cancelling { [broadcaster] in
        try await engine.synchronize(retryFailed: retryFailed) { broadcaster.send(.run($0)) }
      }
    } catch {
      // Only a cancellation is thrown.
    }
    await engine.store.releaseMemory()
    let agreed = try? await engine.store.remoteState(url: engine.remote.identity, remoteID: nil)
    guard orders != nil else { return }
    if let report {
      standing.note(report, at: engine.time.now)
      if engine === self.engine { versions.runEnded(report, version: agreed?.collectionVersion) }
    }
    if !isWatching { follow(self.engine.store) }
    handle(.ran(report?.outcome))
  }
}

/// What a service knows of its past, for people.
struct Standing: Sendable {
  var since = Timestamp(microseconds: 0)
  var lastReport: SyncReport?
  var lastRun: Timestamp?
  var lastSuccess: Timestamp?
  var runs = 0
  var probeError: (any Error)?
  /// Why the last attempt failed.
  var reason = ""
  var pausedUntil: Timestamp?
  /// Whether that was told.
  var isStoreReplaced = false

  mutating func note(_ report: SyncReport, at now: Timestamp) {
    lastReport = report
    lastRun = now
    runs += 1
    if report.outcome == .inSync { lastSuccess = now }
    reason = report.outcome == .inSync ? "" : report.message
  }
}
