import Synchronization

/// Lets one run at a time use a store's temporary tables, in the order they came.
///
/// The lock file keeps other processes out; this keeps out the engines of this process.
package final class RunGate: Sendable {
  private struct State {
    var isTaken = false
    var next = 0
    var waiting: [(key: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Mutex(State())

  /// Runs `body` once everyone who came before is through.
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
          if state.isTaken {
            state.waiting.append((key, continuation))
            return nil
          }
          state.isTaken = true
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
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    following?.resume(returning: true)
  }
}
