/// The local store of projects: one SQLite file, which any program may read and write with plain
/// SQL while it is in use here.
///
/// Every method runs on the store's own queue, so that waiting for a disk or for another process's
/// lock never holds up a thread of the cooperative pool. Public methods throw `SyncError` with the
/// codes `store`, `locked`, `notFound` and `invalidInput`.
public actor LocalStore {
  public enum Access: Sendable {
    case readWrite
    /// No byte of the file changes; what may be written lives in temporary tables.
    case readOnly
  }

  /// Where the store is; `:memory:` for a store without a file.
  public nonisolated let path: String
  /// The store's own identity, made when the store was made. What was agreed with a remote was
  /// agreed by this store.
  public nonisolated let storeID: String
  public nonisolated let access: Access

  let database: Database
  /// How long to wait for another process's write lock.
  nonisolated let busyTimeout: Duration
  /// The file beside the store; nil for a store without a file.
  nonisolated let sidecar: StoreSidecar?
  /// Looks for changes beside the runs; nil for a store without a file.
  nonisolated let changeReader: ChangeReader?
  let file: StoreFile
  /// Whether the base has changed since the last run ended.
  var hasChangedBase = false
  /// Whether the temporary tables of a plan are there.
  var hasPlanTables = false
  /// By how much the transaction under way changes the number of records in a remote's base.
  var knownChanges: [Int64: Int] = [:]
  var touchedChunk: TouchedChunk?
  /// The comparison of ranges that is under way.
  var inquiry: RangeInquiry?
  /// Where the journal stood when the last plan was begun.
  var plannedSequence: Int64?
  /// Whether the store is known to be an older copy of itself, put back in place.
  var restored = false

  /// Lets one run of this process at a time use the temporary tables; the lock file keeps other processes out.
  package nonisolated let gate = Turnstile(width: 1)

  private nonisolated let executor: any SerialExecutor

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Opens the store at `path`, making it when there is none.
  ///
  /// A new file has mode 0600, and directories that had to be made have 0700. A store of an older
  /// version is brought up to date, in one transaction for each version. A file that was changed by
  /// others since it was last left sound is looked through first, which takes about a second for a
  /// gigabyte; nothing in a damaged file is read or written.
  ///
  /// - Parameters:
  ///   - access: `readOnly` opens without changing a byte; a file that does not exist is then an
  ///     empty store, and none is made.
  ///   - busyTimeout: how long to wait for another process's write lock.
  /// - Throws: `.store` when the file is damaged, is no store, comes from a newer version of syncd
  ///   or cannot be opened; `.locked` when another process held the write lock for too long.
  public init(
    path: String, access: Access = .readWrite, busyTimeout: Duration = .seconds(5)
  ) throws(SyncError) {
    try self.init(
      OpenedStore.open(path, access: access, busyTimeout: busyTimeout, fileSystem: nil),
      busyTimeout: busyTimeout)
  }

  /// Opens a store whose work, clock and files are someone else's: a simulation's.
  ///
  /// - Parameters:
  ///   - executor: runs one job of the store after the other.
  ///   - fileSystem: the name of SQLite's VFS, which tells triggers the time as well.
  package init(
    path: String, executor: any SerialExecutor, fileSystem: String
  ) throws(SyncError) {
    try self.init(
      OpenedStore.open(path, access: .readWrite, busyTimeout: .zero, fileSystem: fileSystem),
      busyTimeout: .zero, executor: executor)
  }

  /// Makes an empty store without a file.
  public init(inMemory: ()) throws(SyncError) {
    try self.init(OpenedStore.inMemory(.readWrite), busyTimeout: .zero)
  }

  private init(
    _ opened: OpenedStore, busyTimeout: Duration, executor: any SerialExecutor = StoreExecutor()
  ) throws(SyncError) {
    path = opened.path
    storeID = opened.storeID
    access = opened.access
    sidecar = opened.sidecar
    file = StoreFile(opened)
    database = opened.database
    self.busyTimeout = busyTimeout
    changeReader =
      opened.sidecar == nil
      ? nil
      : ChangeReader(path: opened.path, inode: opened.found.state?.inode, busyTimeout: busyTimeout)
    self.executor = executor
    do {
      restored = try Lineage.isRestored(
        opened.database, storeID: opened.storeID, sidecar: opened.sidecar,
        marking: opened.access == .readWrite)
    } catch {
      throw SyncError(error, waited: busyTimeout)
    }
  }

  deinit { changeReader?.close() }

  /// Whether the store has no file, and ends with this value.
  public nonisolated var isInMemory: Bool { sidecar == nil }
}
