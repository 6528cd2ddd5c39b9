import Synchronization

/// The operations of one run that have not started yet, from which its workers pull.
///
/// A worker is a child task that runs one operation after the other. The sequence's iterator is
/// touched only under the lock, and only when a worker is free: a million operations are never
/// held at once.
final class PendingOperations: Sendable {
  private struct State {
    var iterator: (any IteratorProtocol<Completable>)?
    var count = 0
    var isClosed = false
  }

  private let operations: @Sendable () -> any Sequence<Completable>
  private let state = Mutex(State())
  /// How many workers are worth having.
  let workers: Int

  /// - Parameter maxConcurrent: without a limit, `Int.max`, the whole sequence is read here, so
  ///   that there is a worker for each operation.
  init(
    _ operations: @escaping @Sendable () -> any Sequence<Completable>, maxConcurrent: Int
  ) {
    if maxConcurrent == .max {
      let all = operations().map(\.self)
      self.operations = { all }
      workers = all.count
    } else {
      self.operations = operations
      workers = max(1, maxConcurrent)
    }
  }

  /// The next operation and its place among the arguments; nil when there is none, or none may
  /// start any more.
  func next() -> (index: Int, operation: Completable)? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      var iterator = state.iterator ?? operations().makeIterator()
      state.iterator = nil
      guard let operation = iterator.next() else {
        state.isClosed = true
        return nil
      }
      state.iterator = iterator
      defer { state.count += 1 }
      return (state.count, operation)
    }
  }

  /// Lets nothing start any more.
  func close() {
    state.withLock { $0.isClosed = true }
  }

  /// Whether another worker would find nothing to do.
  var isClosed: Bool { state.withLock { $0.isClosed } }
}
