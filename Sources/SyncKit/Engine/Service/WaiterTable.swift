import Synchronization

/// Those who wait for the run that answers them.
final class WaiterTable: Sendable {
  typealias Continuation = CheckedContinuation<SyncReport, any Error>

  private struct State {
    var lastID = 0
    var waiting: [Int: Continuation] = [:]
    /// Cancelled before they began to wait.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  func makeID() -> Int {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// - Returns: false where the waiter was cancelled before, and is told so.
  func add(_ id: Int, _ continuation: Continuation) -> Bool {
    let isCancelled = state.withLock { state in
      if state.cancelled.remove(id) != nil { return true }
      state.waiting[id] = continuation
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  func cancel(_ id: Int) {
    let continuation = state.withLock { state -> Continuation? in
      if let continuation = state.waiting.removeValue(forKey: id) { return continuation }
      state.cancelled.insert(id)
      return nil
    }
    continuation?.resume(throwing: CancellationError())
  }

  /// Once nobody can cancel it any more.
  func forget(_ id: Int) {
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  /// Whoever was cancelled meanwhile is gone already.
  func answer(_ ids: [Int], with result: Result<SyncReport, any Error>) {
    let continuations = state.withLock { state in
      ids.compactMap { state.waiting.removeValue(forKey: $0) }
    }
    for continuation in continuations { continuation.resume(with: result) }
  }

  func answerAll(with result: Result<SyncReport, any Error>) {
    answer(state.withLock { Array($0.waiting.keys) }, with: result)
  }
}
