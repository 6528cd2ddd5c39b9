import Synchronization

/// Counts across concurrent callers.
final class EntryCounter: Sendable {
  private let count = Mutex(0)

  func add(_ more: Int) -> Int {
    count.withLock { count in
      count += more
      return count
    }
  }
}
