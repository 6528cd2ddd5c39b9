extension ServiceMachine {
  /// What waits for a remote change is spread over this long: the remote tells all its followers at
  /// once.
  static let remoteSpread = Duration.milliseconds(500)
  /// So many times the debounce is the longest that a burst of local changes waits.
  static let burstLimit = 10
  static let maintenanceInterval = Duration.seconds(86_400)

  mutating func noteLocalChange(_ deletionsOnly: Bool, at now: Duration) {
    let first = timers.local?.first ?? now
    let deletionsOnly = deletionsOnly && timers.local?.deletionsOnly ?? true
    let hold = deletionsOnly ? max(options.deletionHold, options.debounce) : options.debounce
    let limit = first + max(options.debounce * Self.burstLimit, hold)
    timers.local = LocalBurst(
      first: first, due: min(now + hold, limit), deletionsOnly: deletionsOnly)
  }

  mutating func noteRemoteChange(at now: Duration) {
    timers.remote = timers.remote ?? now + jitter(upTo: Self.remoteSpread)
  }

  /// Asking comes before every wait: a pause, a back-off, refused credentials.
  mutating func requestSync(_ waiter: Waiter?, retryFailed: Bool) -> [Action] {
    guard phase != .stopped, !isStopping else {
      return waiter.map { [.answer([$0], .stopped)] } ?? []
    }
    queue.isWanted = true
    queue.isAsked = true
    queue.retryFailed = queue.retryFailed || retryFailed
    if let waiter { queue.waiters.append(waiter) }
    return []
  }

  /// Whether an attempt is to begin now, nothing being under way.
  func isDue(at now: Duration) -> Bool {
    if queue.isAsked { return true }
    if pause.isOn || isHeld { return false }
    if let trouble { return trouble.retryAt <= now }
    return queue.isWanted || moments.contains { $0 <= now }
  }

  /// Whether nothing begins before the network has settled.
  private var isHeld: Bool { network.settling?.restarts == true }

  /// When an attempt begins by itself while all is well.
  private var moments: [Duration] {
    [timers.interval] + [timers.local?.due, timers.remote].compactMap { $0 }
  }

  /// When the next attempt begins by itself; nil while one is under way, and while nothing is to
  /// begin.
  var nextAttempt: Duration? {
    guard phase == .resting, !pause.isOn else { return nil }
    if isHeld { return network.settling?.end }
    return trouble?.retryAt ?? moments.min()
  }

  /// The earliest moment at which `tick` changes something; nil when only another event can.
  var deadline: Duration? {
    if phase == .stopped { return nil }
    var moments = [pause.end, network.settling?.end, stopLimit]
    switch phase {
    case .stopped: break
    case .probing(let probe): moments.append(probe.limit)
    case .running: if !pause.isOn { moments.append(timers.interval) }
    case .resting where pause.isOn || isHeld: break
    case .resting: moments += trouble.map { [$0.retryAt] } ?? self.moments
    }
    if !pause.isOn, !isStopping { moments.append(timers.maintenance) }
    if case .waiting(let end, _) = listener { moments.append(end) }
    return moments.compactMap { $0 }.min()
  }

  /// Does what has become due.
  mutating func advance(to now: Duration) -> [Action] {
    if phase == .stopped { return [] }
    if let end = pause.end, end <= now, !isStopping { resume(at: now) }
    var actions = settle(at: now) + giveUpProbe(at: now) + listenOnTime(at: now)
    if let limit = stopLimit, limit <= now {
      stopLimit = nil
      actions += cancelRun()
    }
    if !pause.isOn, !isStopping, timers.maintenance <= now {
      timers.maintenance = now + Self.maintenanceInterval
      actions.append(.maintain)
    }
    switch phase {
    case .resting where isStopping: phase = .stopped
    case .resting: if isDue(at: now) { actions += begin(at: now) }
    // A run that takes longer than the interval is not followed by another for that alone.
    case .running: if timers.interval <= now { timers.interval = nextInterval(after: now) }
    case .stopped, .probing: break
    }
    return actions
  }

  private mutating func giveUpProbe(at now: Duration) -> [Action] {
    guard case .probing(var probe) = phase, probe.limit <= now else { return [] }
    probe.limit = now + Self.probeLimit
    probe.isOverdue = probe.isOverdue || !probe.isCancelled
    phase = .probing(probe)
    return cancelProbe()
  }
}
