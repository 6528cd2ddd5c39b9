/// An operation took longer than it may.
public struct TimedOut: Error, Sendable, Equatable, CustomStringConvertible {
  public let limit: Duration

  public init(limit: Duration) {
    self.limit = limit
  }

  public var description: String { "not done within \(limit)" }
}

extension Completable {
  /// Bounds the whole run.
  ///
  /// The timer starts first: a limit of zero or less fails without starting the operation. Exactly
  /// one of the two decides, and the other is cancelled; what an operation does after the timer has
  /// decided is not heard. An operation that is deaf to cancellation delays the error.
  ///
  /// - Throws: `TimedOut`, or what the operation throws.
  public func timeout(_ limit: Duration, clock: some Clock<Duration>) -> Completable {
    Completable(asSingle.timeout(limit, clock: clock))
  }
}

extension Single {
  /// Bounds the whole run; as `Completable.timeout`.
  public func timeout(_ limit: Duration, clock: some Clock<Duration>) -> Single {
    Single { [operation] in
      guard limit > .zero else { throw TimedOut(limit: limit) }
      let deadline = clock.now.advanced(by: limit)
      return try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask {
          do {
            try await clock.sleep(until: deadline, tolerance: nil)
          } catch _ where Task.isCancelled {
            return nil
          }
          throw TimedOut(limit: limit)
        }
        group.addTask { try await operation() }
        // A timer that was cancelled with the whole run decides nothing.
        while let value = try await group.next() {
          if let value { return value }
        }
        throw CancellationError()
      }
    }
  }
}
