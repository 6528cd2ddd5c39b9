internal import SyncKit

/// How one write ended.
enum WriteEnd: Sendable, Equatable {
  case created(RecordTag)
  case replaced(RecordTag)
  case deleted
  case absent
  case preconditionFailed
  /// This version, or where that was asked a later one, was here and was deleted since; the tombstone's tag.
  case deletedSince(RecordTag)
}

extension StoreConnection {
  /// Creates or replaces a record. One that is equal to the stored one, byte for byte, leaves
  /// everything as it is, so that a repeated request is no change.
  func put(
    _ record: SubmittedRecord, if conditions: WriteConditions, in space: inout Space
  ) throws(DatabaseError) -> WriteEnd {
    if conditions.wantsNone, let tag = try create(record, in: &space) { return .created(tag) }
    let found = try row(record.id, in: space)
    let current = found.flatMap { $0.contents == nil ? nil : $0 }
    guard conditions.hold(for: current?.tag) else { return .preconditionFailed }
    if current == nil, let found,
      conditions.keptDeletions.hold(record, against: found.tag, found.updatedAt)
    {
      return .deletedSince(found.tag)
    }
    if let current, let key = current.contents, current.tag.hash == record.hash,
      try contents(key, equal: record.json)
    {
      return .replaced(current.tag)
    }
    let tag = advance(&space, hash: record.hash)
    let key: Int64
    if let old = current?.contents {
      key = old
      space.bytes += Int64(record.json.count) - (try size(of: old))
      try replaceContents(key, record.json)
    } else {
      key = try insertContents(record.json)
      space.bytes += Int64(record.json.count)
      space.records += 1
      if found != nil { space.tombstones -= 1 }
    }
    if found == nil {
      try insertHead(record, tag, contents: key, in: space)
    } else {
      try updateHead(record.id, tag, stamp: record.stamp, contents: key, in: space)
    }
    try note(record.id, from: current?.tag, to: tag, in: space)
    return current == nil ? .created(tag) : .replaced(tag)
  }

  /// Writes a record under an id that nothing was ever stored under.
  ///
  /// - Returns: nil where something was, which is there still.
  private func create(
    _ record: SubmittedRecord, in space: inout Space
  ) throws(DatabaseError) -> RecordTag? {
    if nextKey == nil {
      nextKey = try (database.integer("SELECT max(key) FROM contents") ?? 0) + 1
    }
    guard let key = nextKey else { return nil }
    let tag = RecordTag(sequence: space.sequence + 1, hash: record.hash)
    try insertHead(record, tag, contents: key, in: space)
    guard database.changes > 0 else { return nil }
    try run("INSERT INTO contents(key, json) VALUES(?, ?)") { (statement) throws(DatabaseError) in
      try statement.bind(key, at: 1)
      try statement.bind(blob: record.json, at: 2)
    }
    nextKey = key + 1
    _ = advance(&space, hash: record.hash)
    space.records += 1
    space.bytes += Int64(record.json.count)
    try note(record.id, from: nil, to: tag, in: space)
    return tag
  }

  /// Removes a record and leaves a tombstone, which keeps the hash of what was removed.
  func delete(
    _ id: ProjectID, if conditions: WriteConditions, in space: inout Space
  ) throws(DatabaseError) -> WriteEnd {
    guard let current = try row(id, in: space), let key = current.contents else { return .absent }
    guard conditions.hold(for: current.tag) else { return .preconditionFailed }
    let tag = RecordTag(
      sequence: advance(&space, hash: 0).sequence, hash: current.tag.hash)
    space.bytes -= try size(of: key)
    space.records -= 1
    space.tombstones += 1
    try database.run("DELETE FROM contents WHERE key = ?", [.integer(key)])
    try updateHead(id, tag, stamp: current.updatedAt, contents: nil, in: space)
    try note(id, from: current.tag, to: nil, in: space)
    return .deleted
  }

  /// Forgets the oldest tombstones once there are a tenth more than `limit`.
  func trimTombstones(of space: inout Space, to limit: Int) throws(DatabaseError) {
    let surplus = space.tombstones - Int64(limit)
    guard surplus > Int64(limit / 10) else { return }
    let last = try database.integer(
      """
      SELECT seq FROM head WHERE space = ? AND contents IS NULL ORDER BY seq LIMIT 1 OFFSET ?
      """, [.integer(space.key), .integer(surplus - 1)])
    guard let last else { return }
    try database.run(
      "DELETE FROM head WHERE space = ? AND seq <= ? AND contents IS NULL",
      [.integer(space.key), .integer(last)])
    space.tombstones -= surplus
    space.forgotten = last
  }

  private func advance(_ space: inout Space, hash: UInt64) -> RecordTag {
    space.sequence += 1
    space.lineage = ContentsHash.chain(space.lineage, hash)
    return RecordTag(sequence: space.sequence, hash: hash)
  }

  // MARK: Rows

  private struct Row {
    let tag: RecordTag
    let updatedAt: String
    let contents: Int64?
  }

  private func row(_ id: ProjectID, in space: Space) throws(DatabaseError) -> Row? {
    let statement = try database.prepare(
      constant: "SELECT seq, hash, updated_at, contents FROM head WHERE space = ? AND id = ?")
    defer { statement.reset() }
    try statement.bind(space.key, at: 1)
    try statement.bind(id.string, at: 2)
    guard try statement.step() else { return nil }
    return Row(
      tag: Self.tag(statement, at: 0), updatedAt: statement.text(2),
      contents: statement.optionalInteger(3))
  }

  private func contents(_ key: Int64, equal json: [UInt8]) throws(DatabaseError) -> Bool {
    let statement = try database.prepare(constant: "SELECT json FROM contents WHERE key = ?")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    guard try statement.step() else { return false }
    return statement.withBytes(0) { $0.elementsEqual(json) }
  }

  private func size(of key: Int64) throws(DatabaseError) -> Int64 {
    try database.integer("SELECT length(json) FROM contents WHERE key = ?", [.integer(key)]) ?? 0
  }

  private func insertContents(_ json: [UInt8]) throws(DatabaseError) -> Int64 {
    nextKey = nil
    try run("INSERT INTO contents(json) VALUES(?)") { (statement) throws(DatabaseError) in
      try statement.bind(blob: json, at: 1)
    }
    return database.lastInsertedKey
  }

  private func replaceContents(_ key: Int64, _ json: [UInt8]) throws(DatabaseError) {
    try run("UPDATE contents SET json = ? WHERE key = ?") { (statement) throws(DatabaseError) in
      try statement.bind(blob: json, at: 1)
      try statement.bind(key, at: 2)
    }
  }

  private func insertHead(
    _ record: SubmittedRecord, _ tag: RecordTag, contents key: Int64, in space: Space
  ) throws(DatabaseError) {
    try run(
      """
      INSERT INTO head(space, id, seq, hash, updated_at, contents) VALUES(?, ?, ?, ?, ?, ?)
        ON CONFLICT(space, id) DO NOTHING
      """
    ) { (statement) throws(DatabaseError) in
      try statement.bind(space.key, at: 1)
      try statement.bind(record.id.string, at: 2)
      try statement.bind(tag.sequence, at: 3)
      try statement.bind(Int64(bitPattern: tag.hash), at: 4)
      try statement.bind(record.stamp, at: 5)
      try statement.bind(key, at: 6)
    }
  }

  private func updateHead(
    _ id: ProjectID, _ tag: RecordTag, stamp: String, contents key: Int64?, in space: Space
  ) throws(DatabaseError) {
    try run(
      """
      UPDATE head SET seq = ?, hash = ?, updated_at = ?, contents = ? WHERE space = ? AND id = ?
      """
    ) { (statement) throws(DatabaseError) in
      try statement.bind(tag.sequence, at: 1)
      try statement.bind(Int64(bitPattern: tag.hash), at: 2)
      try statement.bind(stamp, at: 3)
      try statement.bind(SQLValue(key), at: 4)
      try statement.bind(space.key, at: 5)
      try statement.bind(id.string, at: 6)
    }
  }

  private func run(
    _ sql: StaticString, binding: (Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    try database.prepare(constant: sql).run(binding: binding)
  }
}
