internal import Dispatch
internal import SyncKit
import Synchronization

/// Carries out writes one after the other, and commits those together that came while the disk was
/// busy with the ones before: each waits for the disk once, and many wait for it at once.
final class WriteQueue: Sendable {
  /// One write, on its own: where it fails, what it did is undone, and the others are none the worse.
  struct Job: Sendable {
    /// Does it, and returns what is called once it is on the disk.
    let run: @Sendable (StoreConnection) throws -> End
    let fail: @Sendable (any Error) -> Void
  }

  private struct State {
    var waiting: [Job] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "syncd.server.writer")
  typealias End = @Sendable () -> Void

  /// Runs its argument in a transaction that is on the disk when it returns.
  private let transaction: @Sendable (@Sendable (StoreConnection) throws -> [End]) throws -> [End]

  /// The most writes of one transaction, so that the first of them does not wait for long.
  private static let groupSize = 256

  init(
    transaction:
      @escaping @Sendable (@Sendable (StoreConnection) throws -> [End]) throws -> [End]
  ) {
    self.transaction = transaction
  }

  func add(_ job: Job) {
    let isFirst = state.withLock { state in
      state.waiting.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isFirst { queue.async { self.drain() } }
  }

  private func drain() {
    while let group = next() { commit(group) }
  }

  /// Nil where nothing waits; whoever comes then begins anew.
  private func next() -> [Job]? {
    state.withLock { state in
      let group = Array(state.waiting.prefix(Self.groupSize))
      state.waiting.removeFirst(group.count)
      state.isRunning = !group.isEmpty
      return group.isEmpty ? nil : group
    }
  }

  /// Tells everyone how it ended, once it has. What fails as a whole, fails for all.
  private func commit(_ group: [Job]) {
    do {
      let ends = try transaction { connection in
        try group.map { job in
          do {
            return try connection.savepoint(isAlone: group.count == 1, job.run)
          } catch {
            // A full disk, say, has ended the transaction, and with it what the others did.
            if group.count == 1 || !connection.database.isInTransaction { throw error }
            return { job.fail(error) }
          }
        }
      }
      for end in ends { end() }
    } catch {
      for job in group { job.fail(error) }
    }
  }
}

extension StoreConnection {
  /// Runs `body` so that a throw undoes what it did, and nothing else of the transaction.
  fileprivate func savepoint<Result>(
    isAlone: Bool, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    // A transaction of its own is undone as a whole.
    if isAlone { return try body(self) }
    try database.execute("SAVEPOINT one")
    do {
      let result = try body(self)
      try database.execute("RELEASE one")
      return result
    } catch {
      forgetTransaction()
      if database.isInTransaction { try database.execute("ROLLBACK TO one; RELEASE one") }
      throw error
    }
  }
}
