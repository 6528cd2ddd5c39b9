import Synchronization

/// The bytes of request bodies that all connections together may hold.
package final class BodyBudget: Sendable {
  private let left: Mutex<Int>

  package init(_ bytes: Int) {
    left = Mutex(bytes)
  }

  /// - Returns: whether there was room.
  func take(_ bytes: Int) -> Bool {
    left.withLock { left in
      guard left >= bytes else { return false }
      left -= bytes
      return true
    }
  }

  func giveBack(_ bytes: Int) {
    left.withLock { $0 += bytes }
  }
}
