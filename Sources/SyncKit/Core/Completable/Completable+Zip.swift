extension Completable {
  /// Runs all at once; completes when all have; of nothing: completes.
  ///
  /// The first error wins and cancels the rest; it is thrown when every sibling has returned.
  public static func zip(_ operations: Completable...) -> Completable { zip(operations) }

  /// The same for a sequence.
  ///
  /// - Parameter maxConcurrent: how many run at a time, at least 1; the others start first in,
  ///   first out, and are pulled from the sequence only as slots become free. With 1 it is
  ///   `concat`. Without a limit the whole sequence is read first.
  public static func zip(
    _ operations: some Sequence<Completable> & Sendable, maxConcurrent: Int = .max
  ) -> Completable {
    zip(maxConcurrent: maxConcurrent) { operations }
  }

  /// The same for a sequence that each run makes anew, for one that is lazy or read only once.
  public static func zip(
    maxConcurrent: Int, of operations: @escaping @Sendable () -> any Sequence<Completable>
  ) -> Completable {
    Completable {
      let pending = PendingOperations(operations, maxConcurrent: maxConcurrent)
      try await withThrowingDiscardingTaskGroup { group in
        for _ in 0..<pending.workers {
          if pending.isClosed { break }
          group.addTask { try await runEach(of: pending) }
        }
      }
    }
  }

  private static func runEach(of pending: PendingOperations) async throws {
    do {
      while let (_, operation) = pending.next() {
        try Task.checkCancellation()
        try await operation.run()
      }
    } catch {
      pending.close()
      throw error
    }
  }
}
