internal import HTTPServer
internal import SyncKit

/// One connection and its statements. Whoever holds its lock uses it.
final class StoreConnection {
  let database: Database
  /// The chunk that the transaction under way has changed last.
  var openChunk: OpenChunk?
  /// The key that the next contents get; nil where the transaction has not looked it up.
  var nextKey: Int64?

  init(path: String) throws(DatabaseError) {
    database = try Database(path: path)
    try database.execute(
      "PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; PRAGMA cache_size = -8000")
  }

  func transaction<Result>(
    _ kind: Database.TransactionKind, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    forgetTransaction()
    defer { forgetTransaction() }
    return try database.transaction(kind) { try body(self) }
  }

  /// Forgets what is known of the transaction under way.
  func forgetTransaction() { (openChunk, nextKey) = (nil, nil) }

  // MARK: Spaces

  /// The space of this name; made if it is new, which takes a transaction that writes.
  func space(named name: String) throws(DatabaseError) -> Space {
    if let space = try knownSpace(named: name) { return space }
    try database.run(
      "INSERT INTO space(name, id, epoch) VALUES(?, ?, ?)",
      [.text(name), .text(Randomness.uuid()), .text(Randomness.hexadecimal(4))])
    return try space(named: name)
  }

  private func knownSpace(named name: String) throws(DatabaseError) -> Space? {
    let statement = try database.prepare(
      """
      SELECT key, id, epoch, seq, lineage, forgotten, records, bytes, tombstones
      FROM space WHERE name = ?
      """)
    defer { statement.reset() }
    try statement.bind(name, at: 1)
    guard try statement.step() else { return nil }
    return Space(
      key: statement.integer(0), name: name, id: statement.text(1), epoch: statement.text(2),
      sequence: statement.integer(3), lineage: UInt64(bitPattern: statement.integer(4)),
      forgotten: statement.integer(5), records: statement.integer(6),
      bytes: statement.integer(7), tombstones: statement.integer(8))
  }

  func save(_ space: Space) throws(DatabaseError) {
    try closeChunk()
    try database.run(
      """
      UPDATE space SET seq = ?, lineage = ?, forgotten = ?, records = ?, bytes = ?, tombstones = ?
      WHERE key = ?
      """,
      [
        .integer(space.sequence), .integer(Int64(bitPattern: space.lineage)),
        .integer(space.forgotten), .integer(space.records), .integer(space.bytes),
        .integer(space.tombstones), .integer(space.key),
      ])
    try database.run(
      "INSERT OR REPLACE INTO mark(space, seq, lineage) VALUES(?, ?, ?)",
      [
        .integer(space.key), .integer(space.sequence), .integer(Int64(bitPattern: space.lineage)),
      ])
    try database.run(
      "DELETE FROM mark WHERE space = ? AND seq < ?",
      [.integer(space.key), .integer(space.sequence - Self.marksKept)])
  }

  /// Changes back to which it is known what the lineage was.
  private static let marksKept: Int64 = 100_000

  /// Whether the space was put back to a state from before the one that `tag` names: its history is
  /// shorter, or another one. False where nobody knows any more.
  func isRolledBack(_ space: Space, since tag: String) throws(DatabaseError) -> Bool {
    guard let (sequence, lineage) = space.moment(of: tag) else { return false }
    if sequence > space.sequence { return true }
    if let here = try self.lineage(of: space, at: sequence) { return here != lineage }
    // Tags are of the ends of transactions, and each of those has left a mark since the oldest there is.
    let oldest = try database.integer(
      "SELECT min(seq) FROM mark WHERE space = ?", [.integer(space.key)])
    return oldest.map { $0 < sequence } ?? false
  }

  /// Whether the space's history is known to go on from every state that these tags name.
  func goesOn(_ space: Space, from tags: EntityTags?) throws(DatabaseError) -> Bool {
    guard case .list(let tags) = tags else { return true }
    for tag in tags {
      guard let (sequence, lineage) = space.moment(of: tag),
        try self.lineage(of: space, at: sequence) == lineage
      else { return false }
    }
    return true
  }

  /// The lineage after a change; nil for one that is to come, or whose mark is gone.
  private func lineage(of space: Space, at sequence: Int64) throws(DatabaseError) -> UInt64? {
    if sequence == 0 { return 0 }
    if sequence == space.sequence { return space.lineage }
    return try database.integer(
      "SELECT lineage FROM mark WHERE space = ? AND seq = ?",
      [.integer(space.key), .integer(sequence)]
    ).map { UInt64(bitPattern: $0) }
  }
}
