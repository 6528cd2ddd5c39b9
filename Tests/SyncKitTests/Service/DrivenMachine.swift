import TestSupport

@testable import SyncKit

/// A machine, the time that its test has, and everything that it did.
struct DrivenMachine {
  typealias Event = ServiceMachine.Event
  typealias Action = ServiceMachine.Action

  var machine: ServiceMachine
  var now = Duration.zero
  private(set) var done: [Action] = []

  static let up = NetworkPath(isUp: true, signature: 1)
  static let elsewhere = NetworkPath(isUp: true, signature: 2)
  static let down = NetworkPath(isUp: false, signature: 0)

  init(options: ServiceOptions = ServiceOptions(), seed: UInt64 = 1) {
    machine = ServiceMachine(options: options, random: .seeded(seed))
  }

  var state: ServiceState { machine.state }

  /// How long until the machine does something by itself.
  var wait: Duration? { machine.deadline.map { $0 - now } }

  @discardableResult
  mutating func send(_ event: Event, after wait: Duration = .zero) -> [Action] {
    now += wait
    let actions = machine.handle(event, at: now)
    done += actions
    return actions
  }

  /// Lets the time pass, with a tick at each of the machine's deadlines.
  @discardableResult
  mutating func pass(_ duration: Duration) -> [Action] {
    let end = now + duration
    var actions: [Action] = []
    while let deadline = machine.deadline, deadline <= end {
      now = max(now, deadline)
      actions += send(.tick)
    }
    now = end
    return actions
  }

  /// Waits for the machine's next deadline, and no longer.
  @discardableResult
  mutating func passToDeadline() -> [Action] {
    wait.map { pass(max($0, .zero)) } ?? []
  }

  /// Ends whatever is under way, and what follows from that.
  mutating func finish(
    _ outcome: SyncReport.Outcome = .inSync, probe: ServiceMachine.ProbeResult = .good
  ) {
    if case .probing(let underWay) = machine.phase {
      send(.probed(underWay.isCancelled ? .cancelled : probe))
    }
    if case .running(let run) = machine.phase { send(.ran(run.isCancelled ? nil : outcome)) }
  }

  func count(_ action: Action) -> Int { done.count { $0 == action } }

  var runs: Int { done.count { if case .run = $0 { true } else { false } } }

  mutating func forget() { done = [] }
}

/// The machine in each of its states, on the usual way there.
enum Situation: String, CaseIterable {
  case stopped, syncing, online, backingOff, probing, offline, needsAuth, paused

  func make() -> DrivenMachine {
    var driven = DrivenMachine()
    if self == .stopped { return driven }
    driven.send(.start)
    driven.send(.path(DrivenMachine.up))
    switch self {
    case .stopped, .syncing: break
    case .online: driven.finish()
    case .backingOff: driven.finish(.offline)
    case .probing:
      driven.finish(.offline)
      driven.passToDeadline()
    case .offline:
      driven.finish()
      driven.send(.path(DrivenMachine.down))
    case .needsAuth: driven.finish(.unauthorized)
    case .paused:
      driven.finish()
      driven.send(.pause(until: nil))
    }
    driven.forget()
    return driven
  }
}
