import SyncKit

/// The scheduler's time as a clock to sleep by.
package struct SimulatedClock: Clock {
  package struct Instant: InstantProtocol {
    /// Microseconds since the world began.
    var offset: Int64

    package func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration.inMicroseconds)
    }

    package func duration(to other: Instant) -> Duration { .microseconds(other.offset - offset) }

    package static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  let scheduler: Scheduler

  package var now: Instant { Instant(offset: scheduler.now) }

  package var minimumResolution: Duration { .microseconds(1) }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let sleeper = Sleeper(scheduler)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation {
        (continuation: UnsafeContinuation<Void, any Error>) in
        sleeper.begin(until: deadline.offset, continuation)
      }
    } onCancel: {
      sleeper.cancel()
    }
  }

  func sleep(milliseconds: Int64) async throws {
    try await sleep(until: Instant(offset: scheduler.now + milliseconds * 1000), tolerance: nil)
  }
}

/// One sleep. Unchecked: it lives on the scheduler's thread alone.
private final class Sleeper: @unchecked Sendable {
  private let scheduler: Scheduler
  private var continuation: UnsafeContinuation<Void, any Error>?
  private var timer: Int?
  private var isCancelled = false

  init(_ scheduler: Scheduler) {
    self.scheduler = scheduler
  }

  func begin(until deadline: Int64, _ continuation: UnsafeContinuation<Void, any Error>) {
    guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
    self.continuation = continuation
    timer = scheduler.after(deadline) { self.end(.success(())) }
  }

  func cancel() {
    isCancelled = true
    if let timer { scheduler.cancel(timer) }
    end(.failure(CancellationError()))
  }

  private func end(_ result: Result<Void, any Error>) {
    continuation?.resume(with: result)
    continuation = nil
  }
}

/// A device's wall clock and its uptime.
struct SimulatedTime: TimeSource {
  let clock: DeviceClock

  var now: Timestamp { Timestamp(microseconds: clock.wall) }
  var uptime: Duration { .microseconds(clock.scheduler.now) }
}

/// The world's time as one device sees it. Unchecked: it lives on the scheduler's thread alone.
final class DeviceClock: @unchecked Sendable {
  /// 2026-01-01T00:00:00Z.
  static let beginning: Int64 = 1_767_225_600_000_000

  let scheduler: Scheduler
  /// Microseconds that it is ahead.
  var skew: Int64

  init(_ scheduler: Scheduler, skew: Int64 = 0) {
    (self.scheduler, self.skew) = (scheduler, skew)
  }

  /// Microseconds since 1970.
  var wall: Int64 { Self.beginning + scheduler.now + skew }
}

extension Duration {
  var inMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
