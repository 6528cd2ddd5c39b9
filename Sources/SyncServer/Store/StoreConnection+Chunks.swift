internal import SyncKit

/// A chunk of a space while a transaction changes it.
struct OpenChunk {
  let space: Int64
  /// Empty for the first of the space.
  let first: String
  /// Where the next chunk begins.
  let next: ProjectID?
  let hashing: RangeHashing
  var sum: RangeSum
  /// No record of the chunk has a greater id; nil where that was not looked up.
  var last: ProjectID?

  func holds(_ id: ProjectID, in space: Space) -> Bool {
    self.space == space.key && (first.isEmpty || ProjectID(trusted: first) <= id)
      && (next.map { id < $0 } ?? true)
  }
}

/// The sums of the records, in chunks of neighbouring ids, kept in step with every write: what
/// comparing two sets reads in place of the records.
extension StoreConnection {
  /// Takes note that a record has another version now; nil where there is none.
  func note(
    _ id: ProjectID, from old: RecordTag?, to new: RecordTag?, in space: Space
  ) throws(DatabaseError) {
    if openChunk?.holds(id, in: space) != true {
      try closeChunk()
      openChunk = try chunk(of: id, in: space)
    }
    if old == nil, try isAppended(id, in: space) {
      // As a tree of pages does it: what comes in the order of ids fills chunk after chunk, and none
      // of them is read again to be split.
      let full = openChunk
      try closeChunk()
      openChunk = full.map {
        OpenChunk(
          space: $0.space, first: id.string, next: $0.next, hashing: $0.hashing, sum: RangeSum(),
          last: id)
      }
    }
    if let old, let item = openChunk?.hashing.item(id, old.version) { openChunk?.sum -= item }
    if let new, let item = openChunk?.hashing.item(id, new.version) { openChunk?.sum += item }
  }

  /// Whether a record that is new comes after all others of a chunk that is full.
  private func isAppended(_ id: ProjectID, in space: Space) throws(DatabaseError) -> Bool {
    guard let chunk = openChunk, chunk.sum.count >= ChunkedRanges.chunkSize else { return false }
    let last: ProjectID
    if let known = chunk.last {
      last = max(known, id)
    } else {
      let end = chunk.next == nil ? "" : "AND id < ?2"
      let found = try database.text(
        """
        SELECT id FROM head WHERE space = ?1 \(end) AND contents IS NOT NULL
        ORDER BY id DESC LIMIT 1
        """, [.integer(space.key)] + (chunk.next.map { [.text($0.string)] } ?? []))
      last = found.map { ProjectID(trusted: $0) } ?? id
    }
    openChunk?.last = last
    return last == id
  }

  private func chunk(of id: ProjectID, in space: Space) throws(DatabaseError) -> OpenChunk {
    let found = try database.prepare(
      constant: """
        SELECT first, count, sum FROM chunk WHERE space = ? AND first <= ?
        ORDER BY first DESC LIMIT 1
        """)
    defer { found.reset() }
    try found.bind(space.key, at: 1)
    try found.bind(id.string, at: 2)
    let isThere = try found.step()
    let next = try database.text(
      "SELECT first FROM chunk WHERE space = ? AND first > ? ORDER BY first LIMIT 1",
      [.integer(space.key), .text(id.string)])
    return OpenChunk(
      space: space.key, first: isThere ? found.text(0) : "",
      next: next.map { ProjectID(trusted: $0) }, hashing: .keyed(by: space.id),
      sum: isThere ? RangeSum(count: Int(found.integer(1)), bytes: found.bytes(2)) : RangeSum())
  }

  /// Writes the chunk that is being changed: as several where it has grown too large, as none where
  /// nothing is left in it.
  func closeChunk() throws(DatabaseError) {
    guard let chunk = openChunk else { return }
    openChunk = nil
    if chunk.sum.count == 0, !chunk.first.isEmpty {
      return try database.run(
        "DELETE FROM chunk WHERE space = ? AND first = ?",
        [.integer(chunk.space), .text(chunk.first)])
    }
    guard chunk.sum.count > 2 * ChunkedRanges.chunkSize else {
      return try write(chunk.sum, first: chunk.first, space: chunk.space)
    }
    let first = chunk.first.isEmpty ? nil : ProjectID(trusted: chunk.first)
    let parts = ChunkedRanges.Chunk.chunks(
      of: try items(in: IDRange(from: first, to: chunk.next), space: chunk.space),
      hashing: chunk.hashing)
    for part in parts {
      try write(part.sum, first: part.first?.string ?? chunk.first, space: chunk.space)
    }
  }

  private func write(_ sum: RangeSum, first: String, space: Int64) throws(DatabaseError) {
    let insert = try database.prepare(
      constant: "INSERT OR REPLACE INTO chunk(space, first, count, sum) VALUES(?, ?, ?, ?)")
    try insert.run { (statement) throws(DatabaseError) in
      try statement.bind(space, at: 1)
      try statement.bind(first, at: 2)
      try statement.bind(Int64(sum.count), at: 3)
      try statement.bind(blob: sum.bytes, at: 4)
    }
  }

  /// Makes the chunks of every space anew.
  func rebuildChunks() throws(DatabaseError) {
    try database.run("DELETE FROM chunk")
    let spaces = try database.prepare("SELECT key, id FROM space")
    var keys: [(Int64, String)] = []
    while try spaces.step() { keys.append((spaces.integer(0), spaces.text(1))) }
    spaces.reset()
    for (key, id) in keys {
      let hashing = RangeHashing.keyed(by: id)
      var chunks = [ChunkedRanges.Chunk(first: nil)]
      try forEachItem(in: IDRange(), space: key) { item, _ in
        ChunkedRanges.Chunk.append(item, to: &chunks, hashing: hashing)
      }
      for chunk in chunks {
        try write(chunk.sum, first: chunk.first?.string ?? "", space: key)
      }
    }
  }

  // MARK: Reading

  /// The records of a space as a set that can be compared; used within one transaction.
  func ranges(of space: Space) throws(DatabaseError) -> ChunkedRanges {
    let select = try database.prepare(
      constant: "SELECT first, count, sum FROM chunk WHERE space = ? ORDER BY first")
    defer { select.reset() }
    try select.bind(space.key, at: 1)
    var chunks: [ChunkedRanges.Chunk] = []
    while try select.step() {
      chunks.append(
        ChunkedRanges.Chunk(
          first: chunks.isEmpty ? nil : ProjectID(trusted: select.text(0)),
          sum: RangeSum(count: Int(select.integer(1)), bytes: select.bytes(2))))
    }
    return ChunkedRanges(
      chunks, hashing: .keyed(by: space.id),
      reader: .init { [self] range, body in
        try forEachItem(in: range, space: space.key) { item, _ in body(item) }
      } last: { [self] id in
        // That of a deleted record does as well, and is found at once however many there are.
        try database.text(
          "SELECT id FROM head WHERE space = ? AND id < ? ORDER BY id DESC LIMIT 1",
          [.integer(space.key), .text(id.string)]
        ).map { ProjectID(trusted: $0) }
      })
  }

  private func items(in range: IDRange, space: Int64) throws(DatabaseError) -> [RangeItem] {
    var items: [RangeItem] = []
    try forEachItem(in: range, space: space) { item, _ in items.append(item) }
    return items
  }

  /// What is listed of the records of a range.
  func digests(in range: IDRange, space: Int64) throws -> [RemoteDigest] {
    var digests: [RemoteDigest] = []
    try forEachItem(in: range, space: space) { item, statement in
      let stamp = Timestamp(rfc3339: statement.text(3)) ?? Timestamp(microseconds: 0)
      digests.append(
        RemoteDigest(
          id: item.id, updatedAt: stamp, version: item.version, etag: item.version.raw))
    }
    return digests
  }

  /// Hands over the records of a range in the order of their ids, and their row.
  private func forEachItem(
    in range: IDRange, space: Int64, _ body: (RangeItem, Statement) -> Void
  ) throws(DatabaseError) {
    let end = range.upper == nil ? "" : "AND id < ?3"
    let select = try database.prepare(
      """
      SELECT id, seq, hash, updated_at FROM head
      WHERE space = ?1 AND id >= ?2 \(end) AND contents IS NOT NULL ORDER BY id
      """)
    defer { select.reset() }
    try select.bind(space, at: 1)
    try select.bind(range.lower?.string ?? "", at: 2)
    if let upper = range.upper { try select.bind(upper.string, at: 3) }
    while try select.step() {
      let tag = Self.tag(select, at: 1)
      body(RangeItem(ProjectID(trusted: select.text(0)), tag.version), select)
    }
  }
}

extension RecordTag {
  var version: Version { Version(sequence: UInt64(sequence), hash: hash) }
}
