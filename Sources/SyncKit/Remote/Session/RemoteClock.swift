/// The clocks and the randomness that a remote was handed.
struct RemoteClock: Sendable {
  /// The time since some fixed moment, by a clock that never goes back.
  let elapsed: @Sendable () -> Duration
  /// Cancellable.
  let sleep: @Sendable (Duration) async throws -> Void
  /// The time of day, against which a server's dates are measured.
  let now: @Sendable () -> Timestamp
  /// From 0 up to 1.
  let random: @Sendable () -> Double

  init(
    _ clock: some Clock<Duration>, random: @escaping @Sendable () -> Double,
    now: (@Sendable () -> Timestamp)?
  ) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    self.now = now ?? { .now }
    self.random = random
  }

  /// How long to wait before the next attempt: a random part of a span that doubles each time.
  func delay(afterAttempt attempt: Int) -> Duration {
    Self.schedule.longestDelay(afterAttempt: attempt) * random()
  }

  private static let schedule = BackoffSchedule.fullJitter()
}
