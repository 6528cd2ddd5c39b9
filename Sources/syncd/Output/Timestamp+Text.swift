import SyncKit

extension Timestamp {
  /// `2026-11-30 17:24:00Z`: to the second, for people.
  var short: String {
    let text = description
    return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + "Z"
  }

  /// The span from this moment to `now`; zero when it lies ahead.
  func age(at now: Timestamp) -> Duration { .microseconds(max(0, microseconds(until: now))) }

  /// `2026-11-30 17:24:00Z (3 min ago)`.
  func described(at now: Timestamp) -> String { "\(short) (\(age(at: now).rough) ago)" }
}
