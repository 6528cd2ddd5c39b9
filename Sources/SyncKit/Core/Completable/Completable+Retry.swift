/// What to do after an attempt has failed.
public enum RetryDecision: Sendable, Equatable {
  /// The error stands.
  case giveUp
  /// Try again after the schedule's delay.
  case retry
  /// Try again after the schedule's delay, but not before this has passed: a server's
  /// `Retry-After`. It may be longer than the schedule's cap.
  case retryAfter(Duration)
}

extension Completable {
  /// Tries again while it fails and the predicate says so.
  ///
  /// Counts attempts, not retries: with `attempts: 3` the operation runs three times at most.
  /// Stops on cancellation, of the attempt and of the delay, without asking the predicate.
  ///
  /// - Parameters:
  ///   - random: shared by every run of this operation.
  ///   - decide: is given the error and the number of the attempt that failed, from 1; not asked
  ///     after the last attempt.
  /// - Throws: the last attempt's error; `CancellationError` when cancelled during a delay.
  public func retry(
    _ schedule: BackoffSchedule, clock: some Clock<Duration>, random: RandomSource = .system,
    while decide: @escaping @Sendable (any Error, Int) async -> RetryDecision = { _, _ in .retry }
  ) -> Completable {
    Completable(asSingle.retry(schedule, clock: clock, random: random, while: decide))
  }
}

extension Single {
  /// Tries again while it fails and the predicate says so; as `Completable.retry`.
  public func retry(
    _ schedule: BackoffSchedule, clock: some Clock<Duration>, random: RandomSource = .system,
    while decide: @escaping @Sendable (any Error, Int) async -> RetryDecision = { _, _ in .retry }
  ) -> Single {
    Single { [operation] in
      var random = random
      var attempt = 1
      while true {
        do {
          return try await operation()
        } catch let error where !Task.isCancelled && attempt < schedule.attempts {
          let decision = await decide(error, attempt)
          if decision == .giveUp { throw error }
          var delay = schedule.delay(afterAttempt: attempt, using: &random)
          if case .retryAfter(let least) = decision { delay = max(delay, least) }
          try Task.checkCancellation()
          if delay > .zero { try await clock.sleep(for: delay) }
        }
        attempt += 1
      }
    }
  }
}
