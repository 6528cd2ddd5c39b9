internal import SyncKit
import Synchronization

/// The server's database: one connection that writes, some that read beside it.
final class ProjectStore: Sendable {
  private let writer: Writer
  /// Nil where every write is committed at once, on its own.
  private let writes: WriteQueue?
  /// Empty for a database in memory, which has one connection only.
  private let readers: [ReaderSlot]
  private let turn = Atomic<Int>(0)

  /// The space of servers without tokens.
  static let openSpace = "default"

  /// The connection that writes, and who brings home what it wrote.
  private final class Writer: Sendable {
    let connection: Mutex<StoreConnection>
    /// Nil for a database in memory.
    let checkpointer: Checkpointer?

    init(_ connection: sending StoreConnection, _ checkpointer: Checkpointer?) {
      self.connection = Mutex(connection)
      self.checkpointer = checkpointer
    }

    func write<Result: Sendable>(
      _ body: @Sendable (StoreConnection) throws -> Result
    ) throws -> Result {
      try connection.withLock { connection in
        let result = try connection.transaction(.immediate, body)
        let pages = connection.database.logPages.count
        if pages > Checkpointer.tooMany { try? connection.database.checkpoint() }
        checkpointer?.committed(pages: pages)
        return result
      }
    }
  }

  /// A connection's lock, by reference.
  private final class ReaderSlot: Sendable {
    let connection: Mutex<StoreConnection>

    init(path: String) throws(DatabaseError) {
      connection = Mutex(try StoreConnection(path: path))
    }
  }

  /// Opens the store, making the file, readable by its owner alone, where there is none.
  ///
  /// - Parameter groupsWrites: whether writes that come together are committed together, on a thread
  ///   of their own; a database in memory has no disk to wait for.
  /// - Throws: `ServerError`.
  init(
    path: String, readers count: Int = 2, groupsWrites: Bool = true
  ) throws(ServerError) {
    do {
      if path != ":memory:" { try Self.createPrivately(path) }
      let first = try StoreConnection(path: path)
      try StoreSchema.prepare(first.database) { try first.rebuildChunks() }
      try first.transaction(.immediate) { _ = try $0.space(named: Self.openSpace) }
      let isFile = path != ":memory:"
      readers = isFile ? try (0..<count).map { _ in try ReaderSlot(path: path) } : []
      if isFile { first.database.countLogPages() }
      let writer = Writer(first, isFile ? try Checkpointer(path: path) : nil)
      self.writer = writer
      writes = isFile && groupsWrites ? WriteQueue { try writer.write($0) } : nil
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
    try writer.write(body)
  }

  /// Runs `body` in a transaction, together with others that came meanwhile. A throw undoes what
  /// `body` did.
  ///
  /// - Parameter done: called once it is on the disk, or has failed: from the thread that writes, or
  ///   from this one before the call returns.
  func writeSoon<Value: Sendable>(
    _ body: @escaping @Sendable (StoreConnection) throws -> Value,
    done: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    guard let writes else { return done(Result { try write(body) }) }
    writes.add(
      WriteQueue.Job { connection in
        let value = try body(connection)
        return { done(.success(value)) }
      } fail: {
        done(.failure($0))
      })
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
      return try writer.connection.withLock { try $0.transaction(.deferred, body) }
    }
    let next = turn.wrappingAdd(1, ordering: .relaxed).newValue
    return try readers[Int(next.magnitude % UInt(readers.count))].connection.withLock {
      try $0.transaction(.deferred, body)
    }
  }
}
