/// How long to wait before the next attempt: a random part of a span that doubles each time, so
/// that many clients do not come back together.
struct FullJitter: Sendable {
  static let first = Duration.seconds(1)
  static let cap = Duration.seconds(300)

  /// - Parameters:
  ///   - failures: attempts that failed so far, from 1.
  ///   - random: a number from 0 up to 1.
  static func delay(after failures: Int, random: Double) -> Duration {
    let doublings = min(max(failures, 1) - 1, 16)
    return min(first * (1 << doublings), cap) * min(max(random, 0), 1)
  }
}
