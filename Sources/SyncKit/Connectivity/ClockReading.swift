#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Two clocks that nobody can set, read at one moment. They part only while the machine sleeps.
public struct ClockReading: Sendable, Equatable {
  /// Since the machine started, sleep included.
  public var sinceBoot: Duration
  /// How long the machine has been awake.
  public var awake: Duration

  public init(sinceBoot: Duration, awake: Duration) {
    self.sinceBoot = sinceBoot
    self.awake = awake
  }

  /// Longest time between two readings that count as one moment.
  private static let moment = Duration.milliseconds(10)
  private static let attempts = 5

  /// Reads both clocks. Where the thread was held up in between it reads once more, so that the
  /// wait is not taken for sleep.
  public static func now() -> ClockReading {
    var reading = ClockReading(sinceBoot: .zero, awake: .zero)
    for _ in 0..<attempts {
      reading.awake = read(awakeClock)
      reading.sinceBoot = read(bootClock)
      if read(awakeClock) - reading.awake < moment { break }
    }
    return reading
  }

  #if canImport(Darwin)
    // There, CLOCK_MONOTONIC goes on during sleep.
    private static let bootClock = CLOCK_MONOTONIC_RAW
    private static let awakeClock = CLOCK_UPTIME_RAW
  #else
    private static let bootClock = CLOCK_BOOTTIME
    private static let awakeClock = CLOCK_MONOTONIC
  #endif

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}

/// Tells from readings of the clocks whether the machine slept between two of them. A clock that
/// somebody set moves neither.
public struct SleepGauge: Sendable {
  /// What is shorter is no sleep: connections outlive it.
  public static let leastSleep = Duration.seconds(1)

  private var asleep: Duration

  public init(_ reading: ClockReading) {
    asleep = reading.sinceBoot - reading.awake
  }

  /// - Returns: how long the machine slept since the last reading; nil when it did not.
  public mutating func slept(until reading: ClockReading) -> Duration? {
    let now = reading.sinceBoot - reading.awake
    let slept = now - asleep
    asleep = now
    return slept >= Self.leastSleep ? slept : nil
  }
}
