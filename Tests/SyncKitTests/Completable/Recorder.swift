import SyncKit
import Synchronization
import TestSupport

/// What happened in a test, in order.
final class Recorder: Sendable {
  private let log = Mutex<[String]>([])

  func record(_ event: String) { log.withLock { $0.append(event) } }

  var events: [String] { log.withLock { $0 } }

  func count(of event: String) -> Int { events.filter { $0 == event }.count }
}

/// An error that a test tells from others.
struct Fault: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Holds a task until the test lets it go on; deaf to cancellation.
final class DeafGate: Sendable {
  private enum State {
    case closed
    case waiting(CheckedContinuation<Void, Never>)
    case open
  }

  private let state = Mutex(State.closed)

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if case .open = state { return true }
        state = .waiting(continuation)
        return false
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .open }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    waiter?.resume()
  }
}

/// Makes operations that take time on one clock and leave a trace of how they went.
struct Workshop {
  let clock = TestClock()
  let recorder = Recorder()

  var events: [String] { recorder.events }

  /// Starts, takes `seconds`, then completes or fails with `fault`; or is cancelled.
  func work(_ name: String, seconds: Int = 1, fault: String? = nil) -> Completable {
    Completable { [clock, recorder] in
      recorder.record("\(name) starts")
      do {
        try await clock.sleep(for: .seconds(seconds))
      } catch {
        recorder.record("\(name) is cancelled")
        throw error
      }
      recorder.record("\(name) ends")
      if let fault { throw Fault(fault) }
    }
  }

  /// Records that it was started, and completes or fails at once.
  func instant(_ name: String, fault: String? = nil) -> Completable {
    Completable { [recorder] in
      recorder.record(name)
      if let fault { throw Fault(fault) }
    }
  }

  /// Starts a run whose end is recorded last.
  func start(_ operation: Completable) -> Task<Void, any Error> {
    Task { [recorder] in
      defer { recorder.record("over") }
      try await operation.run()
    }
  }

  /// Runs the operation, cancels it once `sleepers` sleep, and returns how it ended.
  func cancel(
    _ operation: Completable, whenSleeping sleepers: Int = 1
  ) async throws -> Result<Void, any Error> {
    let task = start(operation)
    try await clock.waitForSleepers(sleepers)
    task.cancel()
    return await task.result
  }

  /// Runs the operation in a task that is cancelled before it starts.
  func runCancelled(_ operation: Completable) async -> Result<Void, any Error> {
    let gate = DeafGate()
    let task = Task {
      await gate.wait()
      try await operation.run()
    }
    task.cancel()
    gate.open()
    return await task.result
  }
}

extension Result where Success == Void {
  /// Whether it ended by cancellation.
  var isCancellation: Bool {
    if case .failure(is CancellationError) = self { true } else { false }
  }

  var fault: Fault? {
    if case .failure(let fault as Fault) = self { fault } else { nil }
  }
}
