import Synchronization

/// A clock that stands still until a test advances it.
///
/// A test waits for as many sleepers as it expects, then advances: no sleeping, no hoping. Every
/// wait ends with `CancellationError` when its task is cancelled, so that a time limit holds.
public final class TestClock: Clock, Sendable {
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the clock was made.
    public var offset: Duration

    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    public func duration(to other: Instant) -> Duration { other.offset - offset }

    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }

    public var description: String { "\(offset)" }
  }

  private typealias Continuation = CheckedContinuation<Void, any Error>

  private struct Sleeper {
    var deadline: Instant
    var continuation: Continuation
  }

  /// A test that waits until so many sleep.
  private struct Watcher {
    var count: Int
    var continuation: Continuation
  }

  private struct State {
    var now = Instant()
    var lastID = 0
    var sleepers: [Int: Sleeper] = [:]
    var watchers: [Int: Watcher] = [:]
    /// Sleeps and waits that were cancelled before they began.
    var cancelled: Set<Int> = []

    mutating func makeID() -> Int {
      lastID += 1
      return lastID
    }

    mutating func takeSatisfiedWatchers() -> [Continuation] {
      let satisfied = watchers.filter { $0.value.count <= sleepers.count }
      for id in satisfied.keys { watchers[id] = nil }
      return satisfied.values.map(\.continuation)
    }

    /// The sleepers whose time has come: by deadline, then in the order in which they lay down.
    mutating func takeDueSleepers() -> [Continuation] {
      let due = sleepers.filter { $0.value.deadline <= now }.sorted {
        ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key)
      }
      for (id, _) in due { sleepers[id] = nil }
      return due.map(\.value.continuation)
    }
  }

  private let state = Mutex(State())

  public init() {}

  public var now: Instant { state.withLock { $0.now } }

  public var minimumResolution: Duration { .zero }

  /// How many sleep now.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await wait { state, id, continuation in
      guard deadline > state.now else { return false }
      state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
      return true
    }
  }

  /// Returns once at least `count` tasks sleep.
  public func waitForSleepers(_ count: Int) async throws {
    try await wait { state, id, continuation in
      guard state.sleepers.count < count else { return false }
      state.watchers[id] = Watcher(count: count, continuation: continuation)
      return true
    }
  }

  /// Waits until at least `count` tasks sleep, then moves the time and wakes those that are due.
  ///
  /// A task that is woken and sleeps again does so from the new time: to pass several sleeps of
  /// one task, advance once for each, or use `advanceToNextDeadline`.
  public func advance(by duration: Duration, whenSleeping count: Int = 1) async throws {
    try await waitForSleepers(count)
    move { $0.now = $0.now.advanced(by: duration) }
  }

  /// Waits until at least `count` tasks sleep, then moves the time to the earliest deadline.
  ///
  /// - Returns: how far the time moved.
  @discardableResult
  public func advanceToNextDeadline(whenSleeping count: Int = 1) async throws -> Duration {
    try await waitForSleepers(count)
    let before = now
    move { state in
      state.now =
        state.sleepers.values.map(\.deadline).min().map { max($0, state.now) } ?? state.now
    }
    return before.duration(to: now)
  }

  private func move(_ change: (inout State) -> Void) {
    let due = state.withLock { state in
      change(&state)
      return state.takeDueSleepers()
    }
    for continuation in due { continuation.resume() }
  }

  /// Suspends until somebody resumes what `register` has put away; it returns false not to wait.
  private func wait(
    _ register: @Sendable (inout State, Int, Continuation) -> Bool
  ) async throws {
    let id = state.withLock { $0.makeID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: Continuation) in
        let ready: (mine: Result<Void, any Error>?, others: [Continuation]) = state.withLock {
          if $0.cancelled.remove(id) != nil { return (.failure(CancellationError()), []) }
          guard register(&$0, id, continuation) else { return (.success(()), []) }
          return (nil, $0.takeSatisfiedWatchers())
        }
        if let mine = ready.mine { continuation.resume(with: mine) }
        for other in ready.others { other.resume() }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: Int) {
    let continuation = state.withLock { state -> Continuation? in
      if let sleeper = state.sleepers.removeValue(forKey: id) { return sleeper.continuation }
      if let watcher = state.watchers.removeValue(forKey: id) { return watcher.continuation }
      state.cancelled.insert(id)
      return nil
    }
    continuation?.resume(throwing: CancellationError())
  }
}
