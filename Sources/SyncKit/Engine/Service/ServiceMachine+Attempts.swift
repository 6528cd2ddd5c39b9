extension ServiceMachine {
  /// A probe that takes longer is given up. The transport's own limits are well below.
  static let probeLimit = Duration.seconds(60)

  /// Begins an attempt: a run, or a probe first where the remote is in doubt.
  mutating func begin(at now: Duration) -> [Action] {
    let isInDoubt = network.isInDoubt || network.isDown || trouble?.kind.needsProbe == true
    guard isInDoubt else { return startRun(at: now) }
    phase = .probing(Probe(limit: now + Self.probeLimit))
    return [.probe]
  }

  /// Everything that asked for a run until now is what this one is for.
  private mutating func startRun(at now: Duration) -> [Action] {
    phase = .running(
      Run(isAsked: queue.isAsked, retryFailed: queue.retryFailed, waiters: queue.waiters))
    let retryFailed = queue.retryFailed
    queue = Queue()
    timers.local = nil
    timers.remote = nil
    timers.interval = nextInterval(after: now)
    return [.run(retryFailed: retryFailed)]
  }

  mutating func finishProbe(_ result: ProbeResult, at now: Duration) -> [Action] {
    guard case .probing(let probe) = phase else { return [] }
    phase = .resting
    if isStopping { return [] }
    if probe.isCancelled, !probe.isOverdue { return [] }
    network.isInDoubt = false
    switch result {
    case .good where !probe.isCancelled:
      network.isDown = false
      return startRun(at: now)
    case .good, .cancelled: return failProbe(.offline, at: now)
    case .failed(let outcome): return failProbe(outcome, at: now)
    }
  }

  /// Those who wait are told now; what the run was to do stays to be done.
  private mutating func failProbe(_ outcome: SyncReport.Outcome, at now: Duration) -> [Action] {
    let actions = fail(outcome, at: now)
    let waiters = queue.waiters
    (queue.waiters, queue.isAsked, queue.isWanted) = ([], false, true)
    return waiters.isEmpty ? actions : [.answer(waiters, .probe)] + actions
  }

  mutating func finishRun(_ outcome: SyncReport.Outcome?, at now: Duration) -> [Action] {
    guard case .running(let run) = phase else { return [] }
    phase = .resting
    timers.interval = nextInterval(after: now)
    if let outcome { return end(run, outcome, at: now) }
    // A run that ends as cancelled although nobody cancelled it must not start again at once.
    return run.isCancelled ? putBack(run) : end(run, .offline, at: now)
  }

  private mutating func end(
    _ run: Run, _ outcome: SyncReport.Outcome, at now: Duration
  ) -> [Action] {
    let answer: [Action] = run.waiters.isEmpty ? [] : [.answer(run.waiters, .run)]
    if isStopping { return answer }
    switch outcome {
    case .inSync, .partial, .refused, .conflicts:
      trouble = nil
      network.isDown = false
      network.restlessness = 0
      return answer + listenAgain(at: now)
    case .offline, .protocol, .configError, .unauthorized, .locked, .storeError:
      queue.isWanted = true
      queue.retryFailed = queue.retryFailed || run.retryFailed
      return answer + fail(outcome, at: now)
    }
  }

  /// Nothing that a cancelled run was for is lost.
  private mutating func putBack(_ run: Run) -> [Action] {
    if isStopping { return run.waiters.isEmpty ? [] : [.answer(run.waiters, .stopped)] }
    queue.isWanted = true
    queue.isAsked = queue.isAsked || run.isAsked
    queue.retryFailed = queue.retryFailed || run.retryFailed
    queue.waiters = run.waiters + queue.waiters
    return []
  }
}
