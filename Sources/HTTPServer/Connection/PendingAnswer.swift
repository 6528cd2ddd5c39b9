import Synchronization

/// An answer that somebody works on while the connection waits without a thread.
final class PendingAnswer: Sendable {
  private struct State {
    var response: Response?
    var isOver = false
  }

  private let suspension: Suspension
  private let state = Mutex(State())
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter answer: begins the work, and calls its argument with the answer.
  init(_ suspension: Suspension, whenDone answer: (@escaping @Sendable (Response) -> Void) -> Void)
  {
    self.suspension = suspension
    answer { self.resolve($0) }
  }

  init(_ suspension: Suspension, _ answer: @escaping @Sendable () async -> Response) {
    self.suspension = suspension
    let task = Task { resolve(await answer()) }
    self.task.withLock { $0 = task }
  }

  private func resolve(_ response: Response) {
    let isWanted = state.withLock { state in
      guard !state.isOver else { return false }
      state.response = response
      suspension.resume()
      return true
    }
    if !isWanted { response.abandon() }
  }

  /// The answer, or nil while the connection waits for it, or must not wait any more.
  func take() -> (response: Response?, waits: Bool) {
    state.withLock { state in
      if let response = state.response.take() { return (response, false) }
      return (nil, suspension.suspend())
    }
  }

  /// Nobody wants the answer any more.
  func cancel() {
    task.withLock { $0?.cancel() }
    let response = state.withLock { state in
      state.isOver = true
      return state.response.take()
    }
    response?.abandon()
  }
}
