import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What signals ask of the service.
final class ServiceSignals: Sendable {
  enum Order: Sendable, Equatable {
    /// SIGTERM, SIGINT: finish what is under way.
    case stop
    /// The same once more: do not.
    case stopNow
    /// SIGHUP.
    case reload
    /// SIGUSR1.
    case sync
  }

  let stream: AsyncStream<Order>
  private let continuation: AsyncStream<Order>.Continuation
  private let signals: Signals

  init() {
    let (stream, continuation) = AsyncStream<Order>.makeStream()
    let isStopping = Once()
    self.stream = stream
    self.continuation = continuation
    signals = Signals([SIGINT, SIGTERM, SIGHUP, SIGUSR1]) { number in
      switch number {
      case SIGHUP: continuation.yield(.reload)
      case SIGUSR1: continuation.yield(.sync)
      default: continuation.yield(isStopping.take() ? .stop : .stopNow)
      }
    }
  }

  func stop() {
    signals.stop()
    continuation.finish()
  }

  private final class Once: Sendable {
    private let isTaken = Atomic(false)

    /// - Returns: whether it is the first.
    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
  }
}
