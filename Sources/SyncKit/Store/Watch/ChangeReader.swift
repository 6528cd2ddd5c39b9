internal import Dispatch
internal import Synchronization

/// Looks for local changes, beside the connection that runs use.
final class ChangeReader: Sendable {
  private struct State {
    var database: Database?
    /// What the last look saw: a number that differs once any other connection has written.
    var version: Int64?
    /// The sequence that belongs to it.
    var latest: Int64 = 0
  }

  private let path: String
  private let inode: UInt64?
  private let busyTimeout: Duration
  private let queue = DispatchQueue(label: "syncd.changes")
  private let state = Mutex(State())

  /// - Parameter inode: the file that the store has open.
  init(path: String, inode: UInt64?, busyTimeout: Duration) {
    self.path = path
    self.inode = inode
    self.busyTimeout = busyTimeout
  }

  func look(since sequence: Int64, remote url: String?) async throws(SyncError) -> LocalChanges {
    let result = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(returning: Result { try self.read(since: sequence, remote: url) })
      }
    }
    do {
      return try result.get()
    } catch let error as SyncError {
      throw error
    } catch let error as DatabaseError {
      throw SyncError(error, waited: busyTimeout)
    } catch {
      throw SyncError(.store, "\(path): \(error)", underlying: error)
    }
  }

  /// Closes the connection. Before the store's own goes, so that the one that may write is the last,
  /// and tidies up the write-ahead log.
  func close() {
    state.withLock { $0 = State() }
  }

  private func read(since sequence: Int64, remote url: String?) throws -> LocalChanges {
    try state.withLock { state in
      guard isInPlace else { return replaced(sequence) }
      let database: Database
      if let open = state.database {
        database = open
      } else {
        database = try Database(
          path: path, access: .readOnly, busyTimeout: Int32(clamping: busyTimeout.milliseconds))
        // Between the two looks at it the path led to the store's own file, or does not any more.
        guard isInPlace else { return replaced(sequence) }
        state.database = database
      }
      // Read first: who writes after this is seen by the next look.
      let version = try database.integer("PRAGMA data_version")
      if version == state.version, sequence == state.latest {
        return LocalChanges(latest: sequence)
      }
      let changes = try LocalChanges.read(database, since: sequence, remote: url)
      state.version = version
      state.latest = changes.latest
      return changes
    }
  }

  private var isInPlace: Bool { FileState(path: path)?.inode == inode }

  private func replaced(_ sequence: Int64) -> LocalChanges {
    LocalChanges(latest: sequence, isStoreReplaced: true)
  }
}
