internal import Dispatch
internal import SyncKit
import Synchronization

/// Brings the write-ahead log into the database's file beside the connection that writes, so that
/// no request waits for it.
final class Checkpointer: Sendable {
  private let queue = DispatchQueue(label: "syncd.server.checkpoint")
  private let connection: Mutex<StoreConnection>
  private let isScheduled = Atomic(false)

  /// Pages in the log from which on it is worth while.
  private static let worthwhile = 1000
  /// Pages in the log from which on the writer is to bring them home itself: it outruns us.
  static let tooMany = 32_000

  init(path: String) throws(DatabaseError) {
    connection = Mutex(try StoreConnection(path: path))
  }

  /// Takes note of a commit.
  ///
  /// - Parameter pages: those that the log holds now.
  func committed(pages: Int) {
    guard pages >= Self.worthwhile,
      isScheduled.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else { return }
    queue.async { [weak self] in self?.checkpoint() }
  }

  private func checkpoint() {
    // What was written meanwhile is little, and goes home with a second pass: only an empty log
    // starts again from its beginning.
    connection.withLock { connection in
      for _ in 0..<2 { try? connection.database.checkpoint() }
    }
    isScheduled.store(false, ordering: .relaxed)
  }
}
