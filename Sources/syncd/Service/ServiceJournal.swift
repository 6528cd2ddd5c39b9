import SyncKit
import Synchronization

/// Says what happens in the service: in the log, to the service manager, and to the hooks.
final class ServiceJournal: Sendable {
  private struct State {
    var rule = HookRule()
    var hooks: Hooks
    /// When the service last came on with its work.
    var lastProgress: Duration
    var state = ServiceState.stopped
    /// What the last run said, until it is known when the next attempt is.
    var lastMessage: String?
    /// How the last run ended.
    var lastOutcome: SyncReport.Outcome?
  }

  private let trouble: TroubleLog
  private let manager: ServiceManager
  private let uptime: @Sendable () -> Duration
  private let state: Mutex<State>

  init(
    _ trouble: TroubleLog, manager: ServiceManager, hooks: Hooks,
    uptime: @escaping @Sendable () -> Duration = { SystemTime().uptime }
  ) {
    self.trouble = trouble
    self.manager = manager
    self.uptime = uptime
    state = Mutex(State(hooks: hooks, lastProgress: uptime()))
  }

  private var log: Log { trouble.log }

  var hooks: Hooks { state.withLock { $0.hooks } }

  /// Other hooks are run from now on.
  func change(to hooks: Hooks) { state.withLock { $0.hooks = hooks } }

  /// What the service is doing, for the watchdog.
  var progress: Watchdog.Progress {
    state.withLock { state in
      let isAtWork = state.state == .syncing || state.state == .probing
      return Watchdog.Progress(lastMade: state.lastProgress, isIdle: !isAtWork)
    }
  }

  func note(_ event: ServiceEvent) {
    state.withLock { $0.lastProgress = uptime() }
    switch event {
    case .state(let new):
      let former = state.withLock { state in
        defer { state.state = new }
        return state.state
      }
      if former == .paused, new != .stopped { log.info("no longer paused") }
      note(new)
    case .waiting(let until, let reason):
      // A run has said so itself; a remote that is only asked whether it answers has not.
      let isSaid = state.withLock { $0.lastMessage == reason }
      if !isSaid { trouble.met("run", reason, level: .error) }
      let state = state.withLock { state in
        state.lastMessage = nil
        return state.state
      }
      if state == .backingOff, !reason.isEmpty { manager.status("waits to try again: \(reason)") }
      log.debug("next attempt at \(until)")
    case .paused(let until):
      log.info("paused " + (until.map { "until \($0)" } ?? "until somebody resumes it"))
    case .network(let isUp):
      log.info(isUp ? "the network is up" : "the network is down")
    case .storeReplaced:
      trouble.met(
        "store", "the store's file is another than the one that was opened; send SIGHUP to open it")
    case .run(let event): note(event)
    }
  }

  private func note(_ state: ServiceState) {
    log.debug("state: \(state.rawValue)")
    manager.status(state.sentence(after: self.state.withLock { $0.lastOutcome }))
  }

  private func note(_ event: SyncEvent) {
    switch event {
    case .started(let direction): log.debug("run started: \(direction.rawValue)")
    case .listing, .progress: return
    case .planned(let operations): log.debug("\(counted(operations, "operation")) to do")
    case .warning(let text): trouble.met("warning", text)
    case .finished(let report): note(report)
    }
  }

  private func note(_ report: SyncReport) {
    state.withLock { ($0.lastMessage, $0.lastOutcome) = (report.message, report.outcome) }
    let summary = RunSummary(report: report, store: "")
    let fields: LogFields = ["report": .report(report)]
    switch report.outcome {
    case .inSync:
      let isQuiet = report.remote.isNothing && report.local.isNothing
      trouble.overcame("run", "in sync again")
      log.write(isQuiet ? .debug : .info, "in sync: \(summary.changes)", fields)
      if !report.message.isEmpty { trouble.met("remark", report.message) }
    case .partial, .conflicts:
      for failure in report.failed.prefix(20) {
        trouble.met("record \(failure.id)", failure.sentence)
      }
      trouble.met("run", "\(report.message): \(summary.changes)", fields)
    case .locked: trouble.met("run", report.message, level: .info, fields)
    default: trouble.met("run", report.message, level: .error, fields)
    }
    let (hooks, events) = state.withLock { state in
      (state.hooks, state.rule.events(after: report, at: .now))
    }
    for event in events { hooks.fire(event) }
  }
}

extension ServiceState {
  /// For `systemctl status`.
  ///
  /// - Parameter outcome: how the last run ended, if there was one.
  fileprivate func sentence(after outcome: SyncReport.Outcome?) -> String {
    switch self {
    case .stopped: "stopped"
    case .offline: "offline: the machine has no network; changes wait"
    case .probing: "asking whether the remote answers"
    case .online:
      switch outcome {
      case .inSync: "in sync; waiting for changes"
      case .partial:
        "in sync but for records that were refused, see syncd status; waiting for changes"
      case .conflicts: "conflicts wait for a decision, see syncd conflicts; waiting for changes"
      case .refused: "a guard refused the last run, which changed nothing, see syncd plan"
      default: "waiting for changes"
      }
    case .syncing: "synchronizing"
    case .backingOff: "the last attempt failed; changes wait, and it is tried again"
    case .paused: "paused"
    case .needsAuth: "the remote refused the credentials; changes wait"
    }
  }
}

extension SyncReport.Changes {
  fileprivate var isNothing: Bool { appended == 0 && updated == 0 && deleted == 0 }
}
