extension ServiceMachine {
  mutating func start(at now: Duration) -> [Action] {
    guard phase == .stopped else { return [] }
    phase = .resting
    isStopping = false
    stopLimit = nil
    pause = .none
    trouble = nil
    queue = Queue(isWanted: true)
    timers = Timers(interval: nextInterval(after: now), maintenance: now + Self.maintenanceInterval)
    network.settling = nil
    network.isInDoubt = false
    listener = .silent
    return []
  }

  mutating func stop(at now: Duration) -> [Action] {
    guard phase != .stopped, !isStopping else { return [] }
    isStopping = true
    stopLimit = now + options.stopLimit
    pause = .none
    network.settling = nil
    let waiters = queue.waiters
    queue = Queue()
    return (waiters.isEmpty ? [] : [.answer(waiters, .stopped)]) + cancelProbe() + stopListening()
  }

  /// What runs without having been asked for is stopped: whoever pauses wants quiet now.
  mutating func pause(until end: Duration?) -> [Action] {
    pause = .until(end)
    var actions = stopListening()
    if case .running(let run) = phase, !run.isAsked { actions += cancelRun() }
    if case .probing = phase, !queue.isAsked { actions += cancelProbe() }
    return actions
  }

  mutating func resume(at now: Duration) {
    guard pause.isOn else { return }
    pause = .none
    queue.isWanted = true
    trouble?.retryAt = now
  }

  /// Another engine: nothing of what was learned of the one before holds, and what it does is ended.
  mutating func reload(_ options: ServiceOptions, at now: Duration) -> [Action] {
    self.options = options
    trouble = nil
    queue.isWanted = true
    timers.interval = nextInterval(after: now)
    return cancelRun() + cancelProbe() + stopListening()
  }

  // MARK: What is under way

  /// The end is told by `ran`; what the run was for is kept until then.
  mutating func cancelRun() -> [Action] {
    guard case .running(var run) = phase, !run.isCancelled else { return [] }
    run.isCancelled = true
    phase = .running(run)
    return [.cancelRun]
  }

  mutating func cancelProbe() -> [Action] {
    guard case .probing(var probe) = phase, !probe.isCancelled else { return [] }
    probe.isCancelled = true
    phase = .probing(probe)
    return [.cancelProbe]
  }
}
