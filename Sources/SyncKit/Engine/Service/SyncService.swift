/// Keeps a store and a remote reconciled for as long as it runs: at the start, when something changes
/// on either side, when the network comes back, and at intervals.
///
/// What it does when is decided by a pure state machine (`ServiceMachine`); this carries it out. It
/// needs no network to start, and recovers by itself from everything but a stop. Changes of a store
/// without a file are seen at the next run only.
public actor SyncService {
  var engine: SyncEngine
  var machine: ServiceMachine

  var connectivity: any Connectivity
  nonisolated let clock: ServiceClock
  let detector = ResumeDetector()
  /// Tells that something may have changed in a store.
  let watch: @Sendable (LocalStore) -> AsyncStream<Void>
  nonisolated let broadcaster = EventBroadcaster<ServiceEvent>()
  /// Tells that something in here may be another, for whoever waits for it without an event.
  nonisolated let pulse = EventBroadcaster<Void>()
  private nonisolated let waiters = WaiterTable()

  /// Where work goes that a child task carries out; nil while the service does not run.
  var orders: AsyncStream<Order>.Continuation?
  var signals = Signals()
  /// The deadline that the timer sleeps for.
  private(set) var armed: Duration?

  /// Whether somebody tells of what is written to the store.
  var isWatching = false
  /// The store's sequence when somebody last looked; nil before the first look.
  var seen: Int64?
  var versions = KnownVersions()
  var standing = Standing()

  /// - Parameters:
  ///   - connectivity: tells of the machine's network.
  ///   - clock: one that goes on while the machine sleeps.
  ///   - random: what jitter is made of.
  public init(
    engine: SyncEngine, connectivity: any Connectivity,
    options: ServiceOptions = ServiceOptions(), clock: any Clock<Duration> = ContinuousClock(),
    random: RandomSource = .system
  ) {
    self.init(
      engine: engine, connectivity: connectivity, options: options, clock: clock, random: random,
      watch: { StoreWatcher(path: $0.path).changes() })
  }

  init(
    engine: SyncEngine, connectivity: any Connectivity, options: ServiceOptions,
    clock: any Clock<Duration>, random: RandomSource,
    watch: @escaping @Sendable (LocalStore) -> AsyncStream<Void>
  ) {
    self.engine = engine
    self.connectivity = connectivity
    self.clock = ServiceClock(clock)
    self.watch = watch
    machine = ServiceMachine(options: options, random: random)
    standing.since = engine.time.now
  }

  /// What happens from now on. Each call follows on its own; a follower that lags loses the oldest.
  /// It goes on when the service is stopped, and started again.
  public nonisolated var events: AsyncStream<ServiceEvent> { broadcaster.subscribe() }

  /// Runs until `stop`. Cancelling stops at once; nothing goes on when this has returned.
  ///
  /// - Throws: `SyncError` with `.invalidInput` when it runs already; `CancellationError`.
  public func run() async throws {
    guard orders == nil else {
      throw SyncError(.invalidInput, "this service runs already")
    }
    let (stream, continuation) = AsyncStream<Order>.makeStream()
    orders = continuation
    await withDiscardingTaskGroup { group in
      group.addTask { await self.followPaths() }
      group.addTask { await self.followResumes() }
      group.addTask { await self.keepTime() }
      follow(engine.store)
      handle(.start)
      for await order in stream { group.addTask { await self.carryOut(order) } }
      close()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  /// Asks for a run, and waits for the one that answers: one that starts after this call. It is
  /// tried at once, even while paused.
  ///
  /// - Parameter retryFailed: whether records that were set aside are tried again.
  /// - Returns: the run's report. Where the remote is not even reached, a report that says so.
  /// - Throws: `SyncError` with `.offline` when the service stops before, or does not run;
  ///   `CancellationError`, which ends the wait and not the run.
  public func synchronize(retryFailed: Bool = false) async throws -> SyncReport {
    let id = waiters.makeID()
    defer { waiters.forget(id) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard waiters.add(id, continuation) else { return }
        handle(.syncRequested(waiter: id, retryFailed: retryFailed))
      }
    } onCancel: { [waiters] in
      waiters.cancel(id)
    }
  }

  // MARK: The machine

  /// Tells the machine what happened, and does what it says.
  func handle(_ event: ServiceMachine.Event) {
    detector.look()
    for action in machine.handle(event, at: clock.elapsed()) { perform(action) }
    if let deadline = machine.deadline, armed.map({ deadline < $0 }) ?? true {
      signals.timer?.fire()
    }
    weighNotification()
    pulse.send(())
  }

  private func perform(_ action: ServiceMachine.Action) {
    switch action {
    case .probe: orders?.yield(.probe(engine.remote, signals.renew(\.probe)))
    case .cancelProbe: signals.probe?.fire()
    case .run(let retryFailed):
      versions.runStarts()
      orders?.yield(.run(engine, retryFailed: retryFailed, signals.renew(\.run)))
    case .cancelRun: signals.run?.fire()
    case .freshConnections: engine.remote.closeIdleConnections()
    case .listen: orders?.yield(.listen(engine.remote, signals.renew(\.listener)))
    case .stopListening: signals.listener?.fire()
    case .answer(let ids, let answer): waiters.answer(ids, with: result(of: answer))
    case .maintain: orders?.yield(.maintain(engine))
    case .changed(let state): change(to: state)
    }
  }

  private func result(of answer: ServiceMachine.Answer) -> Result<SyncReport, any Error> {
    switch answer {
    case .run:
      return .success(standing.lastReport ?? SyncReport(direction: engine.options.direction))
    case .probe:
      var report = SyncReport(direction: engine.options.direction)
      report.end(with: standing.probeError ?? SyncError(.offline, "the remote does not answer"))
      return .success(report)
    case .stopped:
      return .failure(
        SyncError(.offline, "the service does not run; nothing is lost, start it and try again"))
    }
  }

  /// Sleeps to each of the machine's deadlines. A deadline that moves away is slept to all the same.
  private func keepTime() async {
    while !Task.isCancelled {
      let signal = signals.renew(\.timer)
      armed = machine.deadline
      pulse.send(())
      guard let deadline = armed else {
        await signal.wait()
        continue
      }
      do {
        try await signal.cancelling { [clock] in try await clock.sleep(deadline) }
        handle(.tick)
      } catch {
        // Another deadline, or the end.
      }
    }
  }

  /// Nothing is taken on from here.
  private func close() {
    orders?.finish()
    orders = nil
    if machine.state != .stopped {
      // Cancelled: what is under way ends with its task, and tells nobody.
      machine = ServiceMachine(options: machine.options, random: machine.random)
      change(to: .stopped)
    }
    waiters.answerAll(with: result(of: .stopped))
    pulse.send(())
  }
}
