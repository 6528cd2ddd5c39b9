import Synchronization

/// Lets so many through at a time, in the order they came.
package final class Turnstile: Sendable {
  private struct State {
    var free: Int
    var next = 0
    var waiting: [(key: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state: Mutex<State>

  package init(width: Int) {
    state = Mutex(State(free: max(1, width)))
  }

  /// Runs `body` once there is room for it.
  ///
  /// - Throws: `CancellationError` when cancelled while it waits; what `body` throws.
  package func pass<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard await enter() else { throw CancellationError() }
    defer { leave() }
    return try await body()
  }

  private func enter() async -> Bool {
    let key = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if state.free == 0 {
            state.waiting.append((key, continuation))
            return nil
          }
          state.free -= 1
          return true
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.key == key }) else { return nil }
        return state.waiting.remove(at: index).continuation
      }
      waiter?.resume(returning: false)
    }
  }

  private func leave() {
    let following = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    following?.resume(returning: true)
  }
}
