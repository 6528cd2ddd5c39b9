/// The file under an open store: whether it may be believed, and how it is left.
///
/// Looking at every page takes about a second for a gigabyte, so it is done once: the sidecar knows
/// how the file looked when it was last left sound, and a file that still looks so is not looked at again.
/// A large file that another program wrote to since is looked at once a day: what a run then reads of it,
/// SQLite looks at.
final class StoreFile {
  private let database: Database
  private let path: String
  private let storeID: String
  /// Nil for a store without a file.
  private let sidecar: StoreSidecar?
  /// The file that was opened, which another may have replaced since.
  private let inode: UInt64?
  private let leavesNote: Bool
  /// How the file looked when this connection saw it to be sound.
  private var sound: FileState?
  /// When it had last been written, where this connection has looked at every page.
  private var lookedAt: Int64?

  init(_ opened: OpenedStore) {
    database = opened.database
    path = opened.path
    storeID = opened.storeID
    sidecar = opened.sidecar
    sound = opened.found.state
    lookedAt = opened.found.lookedAt
    inode = opened.found.state?.inode
    leavesNote = opened.access == .readWrite
  }

  /// Closing brings the write-ahead log into the file, which looks different then and is as sound as
  /// before, where nobody else has touched it.
  deinit {
    guard leavesNote, let sidecar, let sound, FileState(path: path) == sound else { return }
    try? database.run("PRAGMA wal_checkpoint(PASSIVE)")
    let state = FileState(path: path)
    let sequence = Self.sequence(of: database)
    sidecar.updateUnlessHeld {
      guard $0.store == storeID else { return }
      ($0.file, $0.sequence, $0.checked) = (state, sequence, lookedAt ?? $0.checked)
    }
  }

  private static func sequence(of database: Database) -> Int64? {
    try? database.integer("SELECT seq FROM syncd_store")
  }

  /// Looks at the file that was opened.
  ///
  /// - Throws: `.store` when it is damaged, or is not the file any more that was opened.
  func verify() throws {
    guard let sidecar else { return }
    guard let state = FileState(path: path), state.inode == inode else {
      throw SyncError(
        .store,
        "\(path) was moved or replaced while it was in use; to use the file that is there now, open it "
          + "again (the service does on SIGHUP)")
    }
    guard state.size > 0 else { throw SyncError(damaged: path, finding: "it is empty") }
    guard state != sound else { return }
    let finding = try Self.findSound(database, storeID: storeID, sidecar: sidecar)
    (sound, lookedAt) = (finding.state, finding.lookedAt ?? lookedAt)
  }

  /// Looks at every page, unless the file is as it was last left.
  ///
  /// - Returns: how the file looks.
  /// - Throws: `.store` when it is damaged.
  static func findSound(
    _ database: Database, storeID: String?, sidecar: StoreSidecar
  ) throws -> Finding {
    let state = FileState(path: database.path)
    let known = sidecar.read()
    if state == nil || known.store != storeID
      || (known.file != state && !isExplained(state, known, database))
    {
      // Pages that this connection holds in memory would hide what happened to the file.
      // The rules of our own columns are no sign of damage, and looking at them costs the most.
      try database.execute("PRAGMA shrink_memory; PRAGMA ignore_check_constraints=ON")
      defer { try? database.execute("PRAGMA ignore_check_constraints=OFF") }
      try expectSound(database, "PRAGMA quick_check(1)")
      return Finding(state: state, lookedAt: state?.modified)
    }
    return Finding(state: state)
  }

  /// How a sound file looks.
  struct Finding {
    var state: FileState?
    /// When it had last been written, where every page was looked at.
    var lookedAt: Int64?
  }

  /// Whether a large file looks different because somebody changed projects, and every page was looked
  /// at within the day before.
  private static func isExplained(
    _ state: FileState?, _ known: StoreSidecar.Contents, _ database: Database
  ) -> Bool {
    guard let state, state.size > leastLarge, state.inode == known.file?.inode,
      let checked = known.checked, state.modified - checked < 86_400 * 1_000_000_000,
      let former = known.sequence, let sequence = sequence(of: database)
    else { return false }
    return sequence > former
  }

  /// The size from which a file is not looked at whole for every change, in bytes: the look takes some
  /// thirtieth of a second.
  private static let leastLarge: Int64 = 16 << 20

  /// Brings the write-ahead log into the file, as far as readers let it, and takes note of how the
  /// file looks now. For the run that holds the lock, which is done whether this works or not.
  func settle() {
    try? database.run("PRAGMA wal_checkpoint(PASSIVE)")
    guard sound != nil, let sidecar else { return }
    let state = FileState(path: path)
    let sequence = Self.sequence(of: database)
    sound = state
    sidecar.update {
      $0.store = storeID
      ($0.file, $0.sequence, $0.checked) = (state, sequence, lookedAt ?? $0.checked)
    }
  }

  /// - Throws: `.store` with the first finding.
  static func expectSound(_ database: Database, _ pragma: String) throws {
    let finding = try database.text(pragma) ?? "nothing"
    guard finding == "ok" else {
      let line = finding.split(separator: "\n").last.map(String.init) ?? finding
      throw SyncError(damaged: database.path, finding: line)
    }
  }
}
