#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
    self.now = now ?? { Self.timeOfDay() }
    self.random = random
  }

  private static func timeOfDay() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
