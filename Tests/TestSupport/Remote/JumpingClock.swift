import Synchronization

/// A clock for which every sleep is over at once: it jumps to the sleep's end and remembers it.
public final class JumpingClock: Clock, Sendable {
  public struct Instant: InstantProtocol {
    public var offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private let state = Mutex((now: Duration.zero, sleeps: [Duration]()))

  public init() {}

  public var now: Instant { Instant(offset: state.withLock { $0.now }) }
  public var minimumResolution: Duration { .zero }
  /// Every sleep so far, in the order in which they began.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }
  /// The time that passed since the clock was made.
  public var elapsed: Duration { state.withLock { $0.now } }

  public func advance(by duration: Duration) { state.withLock { $0.now += duration } }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.withLock { state in
      state.sleeps.append(deadline.offset - state.now)
      state.now = max(state.now, deadline.offset)
    }
    await Task.yield()
    try Task.checkCancellation()
  }
}
