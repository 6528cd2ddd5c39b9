@preconcurrency internal import Dispatch
internal import Synchronization

/// Tells of a write at once, and again a little later.
///
/// A write reaches the log before the commit that it is part of can be seen: the disk is waited for in
/// between. Whoever looks at once may see nothing yet, and the system tells nothing more.
final class Echo: Sendable {
  /// Each after the one before, the first after the last write. A look that finds nothing new costs
  /// some microseconds; the longest delay is for a disk that takes its time.
  private static let delays: [DispatchTimeInterval] = [
    .milliseconds(5), .milliseconds(20), .milliseconds(80), .milliseconds(400), .seconds(4),
  ]

  /// The number of the last write: those before it have nothing more to tell.
  private let last = Mutex(0)
  private let queue: DispatchQueue
  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation, label: String) {
    self.continuation = continuation
    queue = DispatchQueue(label: label)
  }

  func note() {
    let number = last.withLock { last in
      last += 1
      return last
    }
    continuation.yield()
    tellAgain(0, of: number)
  }

  private func tellAgain(_ step: Int, of number: Int) {
    guard step < Self.delays.count else { return }
    queue.asyncAfter(deadline: .now() + Self.delays[step]) { [weak self] in
      guard let self, last.withLock({ $0 == number }) else { return }
      continuation.yield()
      tellAgain(step + 1, of: number)
    }
  }
}
