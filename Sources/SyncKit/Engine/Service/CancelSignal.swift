/// Ends one piece of work from outside, while its task remains the child of another. Good for one
/// piece of work.
final class CancelSignal: Sendable {
  private let fired: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() {
    (fired, continuation) = AsyncStream.makeStream()
  }

  func fire() { continuation.finish() }

  /// Returns when the signal is fired, or the task is cancelled.
  func wait() async {
    for await _ in fired {}
  }

  /// Runs `body`, which is cancelled when the signal is fired. What it returns all the same counts.
  ///
  /// - Throws: what `body` throws.
  func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        await self.wait()
        return nil
      }
      var result: Result?
      while let next = try await group.next() {
        result = next ?? result
        group.cancelAll()
      }
      guard let result else { throw CancellationError() }
      return result
    }
  }
}
