extension Completable {
  /// Runs all, whatever fails, then completes or throws one error that holds every failure.
  ///
  /// One that fails never cancels another. Cancelling the whole does cancel those that run, and
  /// starts no more: `CancellationError` is thrown then, unless all had completed.
  ///
  /// - Parameter maxConcurrent: how many run at a time, at least 1; the others start first in,
  ///   first out, and are pulled from the sequence only as slots become free. Without a limit the
  ///   whole sequence is read first.
  /// - Throws: `CompositeError`, its failures in the order of the arguments.
  public static func zipDelayingErrors(
    _ operations: some Sequence<Completable> & Sendable, maxConcurrent: Int = .max
  ) -> Completable {
    zipDelayingErrors(maxConcurrent: maxConcurrent) { operations }
  }

  /// The same for a sequence that each run makes anew, for one that is lazy or read only once:
  /// `zipDelayingErrors(maxConcurrent: 8) { (0..<1_000_000).lazy.map { push($0) } }`.
  public static func zipDelayingErrors(
    maxConcurrent: Int, of operations: @escaping @Sendable () -> any Sequence<Completable>
  ) -> Completable {
    Completable {
      let pending = PendingOperations(operations, maxConcurrent: maxConcurrent)
      let failures = try await withThrowingTaskGroup(of: Failures.self) { group in
        for _ in 0..<pending.workers {
          if pending.isClosed { break }
          group.addTask { try await runEachDelayingErrors(of: pending) }
        }
        var all: Failures = []
        for try await failures in group { all += failures }
        return all
      }
      guard !failures.isEmpty else { return }
      try Task.checkCancellation()
      throw CompositeError(failures: failures)
    }
  }

  private typealias Failures = [CompositeError.Failure]

  private static func runEachDelayingErrors(
    of pending: PendingOperations
  ) async throws -> Failures {
    var failures: Failures = []
    while let (index, operation) = pending.next() {
      guard !Task.isCancelled else {
        pending.close()
        throw CancellationError()
      }
      do {
        try await operation.run()
      } catch {
        failures.append(CompositeError.Failure(index: index, error: error))
      }
    }
    return failures
  }
}
