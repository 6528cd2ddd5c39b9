/// Reconciles one local store with one remote.
///
/// No state is shared between engines: several of them, with stores and remotes of their own, live
/// in one process. One run at a time holds a store; a second waits `options.lockWait`, then reports
/// `locked`.
public final class SyncEngine: Sendable {
  public let store: LocalStore
  public let remote: any RemoteStore
  public let options: SyncOptions
  let time: any TimeSource
  private let broadcaster = EventBroadcaster<SyncEvent>()

  /// - Parameter time: where the run's moments and durations come from.
  public init(
    store: LocalStore, remote: any RemoteStore, options: SyncOptions = SyncOptions(),
    time: any TimeSource = SystemTime()
  ) {
    self.store = store
    self.remote = remote
    self.options = options
    self.time = time
  }

  /// What happens from now on. Each call follows on its own; a follower that lags loses the oldest.
  public var events: AsyncStream<SyncEvent> { broadcaster.subscribe() }

  /// What a run would do. Writes nothing, neither here nor there; contents are read where a rule
  /// asks for them.
  ///
  /// - Throws: `SyncError` when either side cannot be read and trusted; `CancellationError`.
  public func plan() async throws -> SyncPlan {
    let run = makeRun(takesNotes: false)
    return try await store.gate.pass {
      do {
        try await store.verifyIntegrity(marking: false)
        let difference = try await run.findDifference()
        let refused = try await run.refusal(of: difference)
        return try await store.planSummary(
          direction: options.direction, counts: difference.counts, refused: refused)
      } catch {
        // A store that was interrupted says so in its own words.
        if Task.isCancelled { throw CancellationError() }
        throw error
      }
    }
  }

  /// Makes both sides agree.
  ///
  /// Everything that can be expected to go wrong is an outcome of the report. Cancelling stops the
  /// requests under way; what was acknowledged before is in the base, and the next run goes on.
  /// - Throws: `CancellationError` only.
  public func synchronize() async throws -> SyncReport {
    try await synchronize(retryFailed: false) { _ in }
  }

  /// A run that is watched as it happens.
  ///
  /// - Parameters:
  ///   - retryFailed: whether records that were set aside are tried again, beside what the options
  ///     say.
  ///   - observe: called with each event, in order, by whichever task it happens on.
  func synchronize(
    retryFailed: Bool, observe: @escaping @Sendable (SyncEvent) -> Void
  ) async throws -> SyncReport {
    let run = makeRun(retryFailed: retryFailed, observe: observe)
    run.emit(.started(options.direction))
    let report = try await store.gate.pass { try await run.perform() }
    run.emit(.finished(report))
    return report
  }

  /// - Parameter takesNotes: false for what is to leave the store as it is, to the byte.
  func makeRun(
    retryFailed: Bool = false, takesNotes: Bool = true,
    observe: @escaping @Sendable (SyncEvent) -> Void = { _ in }
  ) -> SyncRun {
    var options = options
    options.retriesFailed = options.retriesFailed || retryFailed
    return SyncRun(
      store: store, remote: remote, options: options, time: time, takesNotes: takesNotes
    ) { [broadcaster] event in
      broadcaster.send(event)
      observe(event)
    }
  }
}
