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

  public var now: Timestamp { .now }

  public var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
