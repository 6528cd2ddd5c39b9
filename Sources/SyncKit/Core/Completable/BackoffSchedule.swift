/// How long to wait before the next attempt: a pure function of the attempt's number and of
/// randomness that is handed in.
public struct BackoffSchedule: Sendable, Equatable {
  private enum Shape: Equatable {
    case fullJitter(base: Duration, cap: Duration)
    case constant(Duration)
  }

  private let shape: Shape
  /// Attempts in all, the first included; at least one is always made.
  public var attempts: Int

  /// Anything between nothing and `base`, doubled with every attempt, up to `cap`: attempts of many
  /// clients spread out instead of meeting again.
  ///
  /// Microseconds are the finest step. A negative duration counts as zero.
  public static func fullJitter(
    base: Duration = .seconds(1), cap: Duration = .seconds(300), attempts: Int = .max
  ) -> BackoffSchedule {
    BackoffSchedule(shape: .fullJitter(base: base, cap: cap), attempts: attempts)
  }

  /// The same delay every time; by default none.
  public static func constant(
    _ delay: Duration = .zero, attempts: Int = .max
  ) -> BackoffSchedule {
    BackoffSchedule(shape: .constant(max(.zero, delay)), attempts: attempts)
  }

  /// The delay after the attempt of that number, counted from 1, has failed.
  public func delay(
    afterAttempt attempt: Int, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let longest = longestDelay(afterAttempt: attempt)
    guard case .fullJitter = shape else { return longest }
    return .microseconds(Int64.random(in: 0...longest.microseconds, using: &random))
  }

  /// The most that `delay` may give for that attempt.
  package func longestDelay(afterAttempt attempt: Int) -> Duration {
    switch shape {
    case .constant(let delay): return delay
    case .fullJitter(let base, let cap):
      let cap = max(0, cap.microseconds)
      var limit = min(cap, max(0, base.microseconds))
      var doublings = max(attempt, 1) - 1
      while doublings > 0, limit > 0, limit < cap {
        limit = limit > cap / 2 ? cap : limit * 2
        doublings -= 1
      }
      return .microseconds(limit)
    }
  }
}

extension Duration {
  /// Whole microseconds, saturating.
  fileprivate var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }
}
