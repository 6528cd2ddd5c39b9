internal import SyncKit

/// One row of a listing or of the changes.
struct Head {
  let id: String
  let tag: RecordTag
  let updatedAt: String
  let isTombstone: Bool
}

/// A record as it is kept.
struct StoredRecord: Sendable {
  let tag: RecordTag
  let json: [UInt8]
}

extension StoreConnection {
  func record(_ id: ProjectID, in space: Space) throws(DatabaseError) -> StoredRecord? {
    let statement = try database.prepare(
      """
      SELECT head.seq, head.hash, contents.json FROM head JOIN contents ON contents.key = contents
      WHERE space = ? AND id = ?
      """)
    defer { statement.reset() }
    try statement.bind(space.key, at: 1)
    try statement.bind(id.string, at: 2)
    guard try statement.step() else { return nil }
    let tag = RecordTag(
      sequence: statement.integer(0), hash: UInt64(bitPattern: statement.integer(1)))
    return StoredRecord(tag: tag, json: statement.bytes(2))
  }

  /// Hands over the records after `after` in the order of their ids' bytes.
  ///
  /// - Parameter body: gets each record's row, and its contents when they were asked for; says
  ///   whether to go on.
  func forEachRecord(
    in space: Space, after: String, withContents: Bool, limit: Int,
    _ body: (Head, [UInt8]) throws -> Bool
  ) throws {
    let contents = withContents ? ", (SELECT json FROM contents WHERE key = contents)" : ""
    let statement = try database.prepare(
      """
      SELECT id, seq, hash, updated_at\(contents) FROM head
      WHERE space = ? AND id > ? AND contents IS NOT NULL ORDER BY id LIMIT ?
      """)
    defer { statement.reset() }
    try statement.bind(space.key, at: 1)
    try statement.bind(after, at: 2)
    try statement.bind(Int64(limit), at: 3)
    while try statement.step() {
      let head = Head(
        id: statement.text(0), tag: Self.tag(statement, at: 1), updatedAt: statement.text(3),
        isTombstone: false)
      if try !body(head, withContents ? statement.bytes(4) : []) { return }
    }
  }

  /// Hands over what changed after the sequence number `since`, deletions included, in order.
  func forEachChange(
    in space: Space, since: Int64, limit: Int, _ body: (Head) throws -> Void
  ) throws {
    let statement = try database.prepare(
      """
      SELECT id, seq, hash, updated_at, contents IS NULL FROM head
      WHERE space = ? AND seq > ? ORDER BY seq LIMIT ?
      """)
    defer { statement.reset() }
    try statement.bind(space.key, at: 1)
    try statement.bind(since, at: 2)
    try statement.bind(Int64(limit), at: 3)
    while try statement.step() {
      try body(
        Head(
          id: statement.text(0), tag: Self.tag(statement, at: 1), updatedAt: statement.text(3),
          isTombstone: statement.integer(4) == 1))
    }
  }

  static func tag(_ statement: Statement, at column: Int32) -> RecordTag {
    RecordTag(
      sequence: statement.integer(column),
      hash: UInt64(bitPattern: statement.integer(column + 1)))
  }
}
