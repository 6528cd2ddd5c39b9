internal import SyncKit
import Synchronization

/// The server's database: one connection that writes, some that read beside it.
final class ProjectStore: Sendable {
  private let writer: Mutex<StoreConnection>
  /// Empty for a database in memory, which has one connection only.
  private let readers: [ReaderSlot]
  private let turn = Atomic<Int>(0)
  /// Nil for a database in memory.
  private let checkpointer: Checkpointer?

  /// The space of servers without tokens.
  static let openSpace = "default"

  /// A connection's lock, by reference.
  private final class ReaderSlot: Sendable {
    let connection: Mutex<StoreConnection>

    init(path: String) throws(DatabaseError) {
      connection = Mutex(try StoreConnection(path: path))
    }
  }

  /// Opens the store, making the file, readable by its owner alone, where there is none.
  ///
  /// - Throws: `ServerError`.
  init(path: String, readers count: Int = 2) throws(ServerError) {
    do {
      if path != ":memory:" { try Self.createPrivately(path) }
      let first = try StoreConnection(path: path)
      try StoreSchema.prepare(first.database) { try first.rebuildChunks() }
      try first.transaction(.immediate) { _ = try $0.space(named: Self.openSpace) }
      let isFile = path != ":memory:"
      readers = isFile ? try (0..<count).map { _ in try ReaderSlot(path: path) } : []
      checkpointer = isFile ? try Checkpointer(path: path) : nil
      if isFile { first.database.countLogPages() }
      writer = Mutex(first)
    } catch let error as ServerError {
      throw error
    } catch {
      throw ServerError(.store, "\(error)")
    }
  }

  /// Runs `body` in a transaction that is on the disk when this returns; a throw undoes it.
  ///
  /// - Throws: what `body` throws; `DatabaseError`.
  func write<Result: Sendable>(
    _ body: @Sendable (StoreConnection) throws -> Result
  ) throws -> Result {
    try writer.withLock { connection in
      let result = try connection.transaction(.immediate, body)
      let pages = connection.database.logPages.count
      if pages > Checkpointer.tooMany { try? connection.database.checkpoint() }
      checkpointer?.committed(pages: pages)
      return result
    }
  }

  /// Runs `body` on one unchanging picture of the store.
  ///
  /// - Throws: what `body` throws; `DatabaseError`.
  func read<Result: Sendable>(
    _ body: @Sendable (StoreConnection) throws -> Result
  ) throws -> Result {
    for slot in readers {
      let result = try slot.connection.withLockIfAvailable { connection in
        try connection.transaction(.deferred, body)
      }
      if let result { return result }
    }
    guard !readers.isEmpty else {
      return try writer.withLock { try $0.transaction(.deferred, body) }
    }
    let next = turn.wrappingAdd(1, ordering: .relaxed).newValue
    return try readers[Int(next.magnitude % UInt(readers.count))].connection.withLock {
      try $0.transaction(.deferred, body)
    }
  }
}
