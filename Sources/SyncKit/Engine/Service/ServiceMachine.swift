/// What a service does when: a pure function of what happens, of the time, and of random numbers that
/// are handed in. Whoever drives it carries out its actions and tells it what came of them.
///
/// At most one probe or run is under way: the next starts only when the driver has told how the one
/// before ended. What asks for a run meanwhile is kept, and becomes one run.
///
/// Moments are durations since some fixed point, by a clock that goes on while the machine sleeps.
struct ServiceMachine: Sendable {
  typealias Waiter = Int

  enum Event: Sendable, Equatable {
    case start
    case path(NetworkPath)
    /// The machine slept, and woke up.
    case woke
    case localChange(deletionsOnly: Bool)
    /// The remote told of a change that the last run has not seen.
    case remoteChange
    /// The remote has what the last run has seen, whatever it told before.
    case remoteAsKnown
    /// The remote tells nothing any more.
    case listenerEnded
    /// The remote does not offer to tell.
    case listenerUnavailable
    /// A person asks for a run. A waiter is answered exactly once.
    case syncRequested(waiter: Waiter?, retryFailed: Bool)
    case probed(ProbeResult)
    /// A run ended; nil when it was cancelled.
    case ran(SyncReport.Outcome?)
    /// Nil pauses until somebody resumes.
    case pause(until: Duration?)
    case resume
    case reloaded(ServiceOptions)
    /// A run that is under way may finish, within a limit, but nothing starts.
    case stop
    case stopNow
    case tick
  }

  enum ProbeResult: Sendable, Equatable {
    case good
    case failed(SyncReport.Outcome)
    case cancelled
  }

  enum Answer: Sendable, Equatable {
    /// The run that just ended.
    case run
    /// The probe that just failed; there was no run.
    case probe
    case stopped
  }

  enum Action: Sendable, Equatable {
    case probe
    case cancelProbe
    case run(retryFailed: Bool)
    case cancelRun
    case freshConnections
    case listen
    case stopListening
    case answer([Waiter], Answer)
    case maintain
    case changed(ServiceState)
  }

  var options: ServiceOptions
  var random: RandomSource

  var phase = Phase.stopped
  /// Set by `stop`: what is under way is the last.
  var isStopping = false
  /// When a run that is left to finish is cancelled after all.
  var stopLimit: Duration?
  var pause = Pause.none
  /// Nil while the last run went well.
  var trouble: Trouble?
  var network = Network()
  var queue = Queue()
  var timers = Timers()
  var listener = Listener.silent
  private var shown = ServiceState.stopped

  init(options: ServiceOptions = ServiceOptions(), random: RandomSource = .system) {
    self.options = options
    self.random = random
  }

  /// Takes note of what happened, and says what to do, in this order.
  mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    var actions = take(event, at: now)
    actions += advance(to: now)
    let state = state
    if state != shown {
      shown = state
      actions.append(.changed(state))
    }
    return actions
  }

  private mutating func take(_ event: Event, at now: Duration) -> [Action] {
    switch event {
    case .start: return start(at: now)
    case .path(let path): return changePath(path, at: now)
    case .tick: return []
    case .syncRequested(let waiter, let retryFailed):
      return requestSync(waiter, retryFailed: retryFailed)
    case .stop: return stop(at: now)
    case .stopNow: return stop(at: now) + cancelRun()
    case .probed(let result): return finishProbe(result, at: now)
    case .ran(let outcome): return finishRun(outcome, at: now)
    default: break
    }
    guard phase != .stopped, !isStopping else { return [] }
    switch event {
    case .woke: return wake(at: now)
    case .localChange(let deletionsOnly): noteLocalChange(deletionsOnly, at: now)
    case .remoteChange: noteRemoteChange(at: now)
    case .remoteAsKnown: timers.remote = nil
    case .listenerEnded: endListener(at: now)
    case .listenerUnavailable: listener = .silent
    case .pause(let end): return pause(until: end)
    case .resume: resume(at: now)
    case .reloaded(let options): return reload(options, at: now)
    default: break
    }
    return []
  }

  var state: ServiceState {
    switch phase {
    case .stopped: return .stopped
    case .probing: return .probing
    case .running: return .syncing
    case .resting:
      if pause.isOn { return .paused }
      switch trouble?.kind {
      case nil: return .online
      case .credentials: return .needsAuth
      case .remote: return network.isDown ? .offline : .backingOff
      case .store, .locked: return .backingOff
      }
    }
  }
}
