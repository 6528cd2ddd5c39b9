import TestSupport
import Testing

@testable import SyncKit

/// Whatever happens, in whatever order.
@Suite("What always holds for the service")
struct ServiceMachineProperties {
  private enum Pause {
    case forEver
    case until(Duration)

    func isOver(at now: Duration) -> Bool {
      if case .until(let end) = self { end <= now } else { false }
    }
  }

  /// What a test knows of a machine by its events and actions alone.
  private struct Observer {
    var driven: DrivenMachine
    var isProbing = false
    var isRunning = false
    var isStopped = true
    var pausedUntil: Pause?
    /// A person's request that no run or probe has begun for.
    var isAsked = false
    /// The run under way was asked for, and was cancelled.
    var isRunAsked = false
    var isRunCancelled = false
    /// Something that the next run owes.
    var isOwed = false
    var waiting: Set<Int> = []
    var answered: Set<Int> = []
    var faults: [String] = []

    mutating func send(_ event: ServiceMachine.Event, after wait: Duration = .zero) {
      let wasRunning = isRunning
      foresee(event, at: driven.now + wait)
      let actions = driven.send(event, after: wait)
      for action in actions { see(action, after: event) }
      if case .ran = event, wasRunning, !isRunning, !waiting.isEmpty, isStopped {
        fault("a stopped service left somebody waiting")
      }
      check(event)
    }

    private mutating func foresee(_ event: ServiceMachine.Event, at now: Duration) {
      if pausedUntil?.isOver(at: now) == true {
        pausedUntil = nil
        isOwed = isOwed || !isStopped
      }
      switch event {
      case .start:
        if driven.state == .stopped { (isStopped, isOwed, pausedUntil) = (false, true, nil) }
      case .stop, .stopNow: (isStopped, isOwed) = (true, false)
      case .probed(let result):
        isProbing = false
        if case .probing(let probe) = driven.machine.phase, probe.isOverdue || !probe.isCancelled,
          probe.isOverdue || result != .good
        {
          isAsked = false
        }
      case .ran(let outcome):
        if isRunning, isRunCancelled, outcome == nil, !isStopped {
          (isAsked, isOwed) = (isAsked || isRunAsked, true)
        }
        isRunning = false
      case .pause(let end): if !isStopped { pausedUntil = end.map { .until($0) } ?? .forEver }
      case .resume:
        if pausedUntil != nil, !isStopped { isOwed = true }
        pausedUntil = nil
      case .syncRequested(let waiter, _):
        if let waiter { waiting.insert(waiter) }
        if !isStopped { (isAsked, isOwed) = (true, true) }
      case .localChange, .reloaded: if !isStopped { isOwed = true }
      default: break
      }
    }

    private mutating func see(_ action: ServiceMachine.Action, after event: ServiceMachine.Event) {
      switch action {
      case .probe, .run:
        if isProbing || isRunning { fault("two at once") }
        if isStopped { fault("\(action) after stop") }
        if let pausedUntil, !pausedUntil.isOver(at: driven.now), !isAsked {
          fault("\(action) while paused")
        }
        if action == .probe {
          isProbing = true
        } else {
          (isRunAsked, isRunCancelled) = (isAsked, false)
          (isRunning, isOwed, isAsked) = (true, false, false)
        }
      case .cancelRun: isRunCancelled = true
      case .listen: if isStopped { fault("listens after stop") }
      case .answer(let waiters, _):
        for waiter in waiters {
          if waiting.remove(waiter) == nil { fault("\(waiter) answered without asking, or twice") }
          if !answered.insert(waiter).inserted { fault("\(waiter) answered twice") }
        }
      default: break
      }
    }

    private mutating func check(_ event: ServiceMachine.Event) {
      let state = driven.state
      let isPausedForEver = driven.machine.pause == .until(nil)
      if driven.machine.deadline == nil, state != .stopped, !isPausedForEver {
        fault("no deadline in \(state)")
      }
      if let deadline = driven.machine.deadline, deadline <= driven.now {
        fault("a deadline that has passed after \(event)")
      }
    }

    mutating func fault(_ what: String) { faults.append(what) }
  }

  @Test("random events", arguments: 0..<60)
  func random(round: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var observer = Observer(driven: DrivenMachine(seed: seed))
    var nextWaiter = 0
    for _ in 0..<400 {
      let event = event(of: observer, &nextWaiter, &random)
      let wait: Duration =
        switch Int.random(in: 0..<8, using: &random) {
        case 0...3: .zero
        case 4...5: .milliseconds(Int.random(in: 1..<1000, using: &random))
        case 6: .seconds(Int.random(in: 1..<100, using: &random))
        default: max(.zero, observer.driven.wait ?? .seconds(5000))
        }
      observer.send(event, after: wait)
    }
    settle(&observer)
    #expect(observer.faults == [], "seed \(seed)")
    #expect(observer.waiting == [], "seed \(seed)")
  }

  /// Everything goes well from here: nothing may be owed in the end, and nobody be waiting.
  private func settle(_ observer: inout Observer) {
    if observer.driven.state != .stopped, !observer.isStopped {
      observer.send(.resume)
      for _ in 0..<1000 where !isAtRest(observer) { step(&observer) }
      if observer.isOwed { observer.fault("something was lost") }
    }
    observer.send(.stop)
    for _ in 0..<10 where observer.isProbing || observer.isRunning { step(&observer) }
    if observer.driven.state != .stopped { observer.fault("not stopped in the end") }
  }

  private func isAtRest(_ observer: Observer) -> Bool {
    observer.driven.state == .online && !observer.isOwed
  }

  private func step(_ observer: inout Observer) {
    switch observer.driven.machine.phase {
    case .probing(let probe): observer.send(.probed(probe.isCancelled ? .cancelled : .good))
    case .running(let run): observer.send(.ran(run.isCancelled ? nil : .inSync))
    case .resting, .stopped: observer.send(.tick, after: observer.driven.wait ?? .seconds(1))
    }
  }

  private func event(
    of observer: Observer, _ nextWaiter: inout Int, _ random: inout SeededGenerator
  ) -> ServiceMachine.Event {
    let outcomes: [SyncReport.Outcome?] = [
      .inSync, .inSync, .inSync, .partial, .refused, .conflicts, .offline, .locked, .protocol,
      .unauthorized, .storeError, .configError, nil,
    ]
    if observer.isRunning, Bool.random(using: &random) {
      return .ran(outcomes.randomElement(using: &random) ?? nil)
    }
    if observer.isProbing, Bool.random(using: &random) {
      let results: [ServiceMachine.ProbeResult] = [
        .good, .good, .cancelled, .failed(.offline), .failed(.unauthorized), .failed(.protocol),
      ]
      return .probed(results.randomElement(using: &random) ?? .good)
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<20: return .localChange(deletionsOnly: Bool.random(using: &random))
    case 20..<35:
      nextWaiter += 1
      let isWaiting = Bool.random(using: &random)
      return .syncRequested(
        waiter: isWaiting ? nextWaiter : nil, retryFailed: Bool.random(using: &random))
    case 35..<50:
      return .path(
        NetworkPath(
          isUp: Int.random(in: 0..<3, using: &random) > 0,
          signature: UInt64.random(in: 0..<3, using: &random)))
    case 50..<55: return .woke
    case 55..<60: return .remoteChange
    case 60..<62: return .remoteAsKnown
    case 62..<66: return .listenerEnded
    case 66..<68: return .listenerUnavailable
    case 68..<72:
      let length = Duration.seconds(Int.random(in: 0..<300, using: &random))
      return .pause(until: Bool.random(using: &random) ? nil : observer.driven.now + length)
    case 72..<76: return .resume
    case 76..<79: return .reloaded(ServiceOptions())
    case 79: return .stop
    case 80: return .stopNow
    case 81..<85: return .start
    default: return .tick
    }
  }
}
