import Synchronization

/// Holds every request to a host that asked to be left alone for a while.
final class HostThrottle: Sendable {
  private let clock: RemoteClock
  /// When requests may go out again, by `clock.elapsed`.
  private let end = Mutex(Duration.zero)

  init(clock: RemoteClock) {
    self.clock = clock
  }

  /// How much longer requests are held; zero or less when they are not.
  var remaining: Duration { end.withLock { $0 } - clock.elapsed() }

  /// Takes note of what a response asks for: `Retry-After` with a status that says so, and Kinto's
  /// `Backoff` with any. A shorter time never cuts a longer one.
  func note(_ head: HTTPResponseHead) {
    var asked = head.headers["Backoff"]
    if head.status >= 400 { asked = head.headers["Retry-After"] ?? asked }
    guard let asked else { return }
    let now = head.headers["Date"].flatMap { Timestamp(httpDate: $0) } ?? clock.now()
    guard let delay = RetryAfter.delay(asked, now: now), delay > .zero else { return }
    let until = clock.elapsed() + delay
    end.withLock { $0 = max($0, until) }
  }
}
