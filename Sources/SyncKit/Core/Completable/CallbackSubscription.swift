import Synchronization

/// One subscription to an operation of the callback world.
///
/// Performs what its state machine answers, outside the lock: a callback, a cleanup or a resumed
/// task may call back in.
final class CallbackSubscription<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, any Error>
  typealias Waiter = CheckedContinuation<Value, any Error>
  typealias Cleanup = @Sendable () -> Void

  private let state = Mutex(State())

  /// - Returns: whether to subscribe; false when it was cancelled before.
  func begin(_ waiter: Waiter) -> Bool {
    guard let outcome = state.withLock({ $0.begin(waiter) }) else { return true }
    waiter.resume(with: outcome)
    return false
  }

  func install(cleanup: @escaping Cleanup) {
    if state.withLock({ $0.install(cleanup) }) { cleanup() }
  }

  func end(with outcome: Outcome) {
    guard let ending = state.withLock({ $0.end(outcome) }) else { return }
    ending.cleanup?()
    ending.waiter?.resume(with: outcome)
  }

  private struct State {
    private enum Phase {
      /// Nobody waits yet.
      case idle
      /// `begin` was called, and `subscribe` has not returned yet.
      case subscribing(Waiter)
      /// `subscribe` returned before any event.
      case subscribed(Waiter, Cleanup)
      /// The first event or the cancellation came; any later one is ignored.
      case ended(Outcome)
    }

    private var phase = Phase.idle

    /// - Returns: the outcome, when there is one already.
    mutating func begin(_ waiter: Waiter) -> Outcome? {
      if case .ended(let outcome) = phase { return outcome }
      phase = .subscribing(waiter)
      return nil
    }

    /// - Returns: whether to clean up at once.
    mutating func install(_ cleanup: @escaping Cleanup) -> Bool {
      guard case .subscribing(let waiter) = phase else { return true }
      phase = .subscribed(waiter, cleanup)
      return false
    }

    /// - Returns: what to clean up and whom to wake; nil when it ended before.
    mutating func end(_ outcome: Outcome) -> (cleanup: Cleanup?, waiter: Waiter?)? {
      defer { if !hasEnded { phase = .ended(outcome) } }
      switch phase {
      case .idle: return (nil, nil)
      case .subscribing(let waiter): return (nil, waiter)
      case .subscribed(let waiter, let cleanup): return (cleanup, waiter)
      case .ended: return nil
      }
    }

    private var hasEnded: Bool {
      if case .ended = phase { true } else { false }
    }
  }
}
