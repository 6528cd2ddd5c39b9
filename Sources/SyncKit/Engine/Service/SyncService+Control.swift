extension SyncService {
  /// Asks for a run and does not wait. It is tried at once, even while paused.
  ///
  /// - Parameter retryFailed: whether records that were set aside are tried again.
  public func requestSync(retryFailed: Bool = false) {
    handle(.syncRequested(waiter: nil, retryFailed: retryFailed))
  }

  /// Does nothing but what `synchronize` and `requestSync` ask for, until `resume` or for so long. A
  /// run that nobody asked for is cancelled; what it had done stays done.
  ///
  /// - Parameter duration: nil has no end.
  public func pause(for duration: Duration? = nil) {
    guard machine.state != .stopped, !machine.isStopping else { return }
    standing.pausedUntil = duration.map { engine.time.now.advanced(by: $0) }
    broadcaster.send(.paused(until: standing.pausedUntil))
    handle(.pause(until: duration.map { clock.elapsed() + $0 }))
  }

  /// Does the same until a moment.
  public func pause(until end: Timestamp) {
    let left = end.microseconds - engine.time.now.microseconds
    pause(for: .microseconds(max(0, left)))
  }

  /// Ends a pause, with a run at once.
  public func resume() {
    handle(.resume)
  }

  /// Ends the service: a run under way is left to finish, for `ServiceOptions.stopLimit` at most.
  /// `run` returns when it has.
  public func stop() {
    handle(.stop)
  }

  /// Ends the service and the run under way; what that had done stays done.
  public func stopNow() {
    handle(.stopNow)
  }

  /// Goes on with another engine: other options, another remote, the store opened again. A run of
  /// the engine before is cancelled, and those who wait for it are answered by the first of the new.
  ///
  /// - Parameters:
  ///   - options: nil keeps those there are.
  ///   - connectivity: what tells of the network from now on; nil keeps what there is.
  public func reload(
    engine: SyncEngine, options: ServiceOptions? = nil, connectivity: (any Connectivity)? = nil
  ) {
    let isOtherStore = engine.store !== self.engine.store
    self.engine = engine
    if let connectivity {
      self.connectivity = connectivity
      signals.paths?.fire()
      signals.paths = nil
    }
    let options = options ?? machine.options
    seen = nil
    standing.isStoreReplaced = false
    versions = KnownVersions()
    guard machine.state != .stopped else {
      machine.options = options
      return
    }
    if isOtherStore { follow(engine.store) }
    handle(.reloaded(options))
  }

  /// How the service stands now.
  public var snapshot: ServiceSnapshot {
    ServiceSnapshot(
      state: machine.state, since: standing.since,
      nextAttempt: machine.nextAttempt.map { moment(at: $0) }, reason: standing.reason,
      pausedUntil: machine.pause.isOn ? standing.pausedUntil : nil,
      lastReport: standing.lastReport, lastRun: standing.lastRun,
      lastSuccess: standing.lastSuccess, runs: standing.runs,
      isNetworkUp: machine.network.path?.isUp, isListening: machine.listener.isListening)
  }

  func change(to state: ServiceState) {
    standing.since = engine.time.now
    broadcaster.send(.state(state))
    switch state {
    case .offline, .backingOff, .needsAuth:
      if let next = machine.nextAttempt {
        broadcaster.send(.waiting(until: moment(at: next), reason: standing.reason))
      }
    case .stopped: orders?.finish()
    case .probing, .online, .syncing, .paused: break
    }
  }

  /// The time of day at a moment of the service's clock.
  private func moment(at elapsed: Duration) -> Timestamp {
    engine.time.now.advanced(by: elapsed - clock.elapsed())
  }
}

extension Timestamp {
  fileprivate func advanced(by duration: Duration) -> Timestamp {
    let (sum, overflow) = microseconds.addingReportingOverflow(duration.microseconds)
    return Timestamp(microseconds: overflow ? (sum < 0 ? .max : .min) : sum)
  }
}

extension ServiceMachine.Listener {
  var isListening: Bool {
    if case .listening = self { true } else { false }
  }
}
