internal import SyncKit
import Synchronization

/// The server's database: one connection that writes, some that read beside it.
final class ProjectStore: Sendable {
  private let writer: Mutex<StoreConnection>
  /// Empty for a database in memory, which has one connection only.
  private let readers: [ReaderSlot]
  private let turn = Atomic<Int>(0)

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
      try StoreSchema.prepare(first.database)
      try first.transaction(.immediate) { _ = try $0.space(named: Self.openSpace) }
      writer = Mutex(first)
      readers = path == ":memory:" ? [] : try (0..<count).map { _ in try ReaderSlot(path: path) }
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
      try connection.transaction(.immediate, body)
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
