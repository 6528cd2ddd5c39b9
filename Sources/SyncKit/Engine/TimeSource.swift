#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where an engine's moments and durations come from; a simulation hands in its own.
public protocol TimeSource: Sendable {
  /// The wall clock, for what people read.
  var now: Timestamp { get }
  /// A clock that never goes back, for durations.
  var uptime: Duration { get }
}

/// The machine's clocks.
public struct SystemTime: TimeSource {
  public init() {}

  public var now: Timestamp {
    let (seconds, nanoseconds) = Self.read(CLOCK_REALTIME)
    return Timestamp(microseconds: seconds * 1_000_000 + nanoseconds / 1000)
  }

  public var uptime: Duration {
    let (seconds, nanoseconds) = Self.read(CLOCK_MONOTONIC)
    return .seconds(seconds) + .nanoseconds(nanoseconds)
  }

  private static func read(_ clock: clockid_t) -> (Int64, Int64) {
    var time = timespec()
    clock_gettime(clock, &time)
    return (Int64(time.tv_sec), Int64(time.tv_nsec))
  }
}
