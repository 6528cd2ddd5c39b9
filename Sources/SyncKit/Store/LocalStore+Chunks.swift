/// The sums of the base, in chunks of neighbouring ids: what comparing it with the remote's set reads in
/// place of its rows.
///
/// They are made at the first comparison. From then on, a transaction that changes the base takes the sum
/// from the chunks it touches, and the next comparison sums up those and no others: writing costs little,
/// and comparing what has changed.
extension LocalStore {
  /// The chunk that the transaction under way has touched last.
  struct TouchedChunk {
    let remote: Int64
    /// Nil where the remote has no chunks, so that there is nothing to touch.
    let range: IDRange?

    func holds(_ id: ProjectID, remote: Int64) -> Bool {
      remote == self.remote && (range?.contains(id) ?? true)
    }
  }

  /// Takes note that the transaction under way changes the base's row of a record.
  func touchChunk(of id: ProjectID, remote: Int64) throws {
    if touchedChunk?.holds(id, remote: remote) == true { return }
    let values: [SQLValue] = [.integer(remote), .text(id.string)]
    guard
      let first = try database.text(
        "SELECT first FROM syncd_chunk WHERE remote=? AND first<=? ORDER BY first DESC LIMIT 1",
        values)
    else {
      touchedChunk = TouchedChunk(remote: remote, range: nil)
      return
    }
    let next = try database.text(
      "SELECT first FROM syncd_chunk WHERE remote=? AND first>? ORDER BY first LIMIT 1", values)
    try database.run(
      "UPDATE syncd_chunk SET sum=NULL WHERE remote=? AND first=? AND sum IS NOT NULL",
      [.integer(remote), .text(first)])
    touchedChunk = TouchedChunk(
      remote: remote,
      range: IDRange(
        from: first.isEmpty ? nil : ProjectID(trusted: first),
        to: next.map { ProjectID(trusted: $0) }))
  }

  /// Takes note that the transaction under way changes the base's rows of what the plan has under these
  /// actions.
  func touchChunks(ofPlanned actions: [PlanAction], remote: Int64) throws {
    for action in actions {
      try database.run(
        """
        UPDATE syncd_chunk SET sum=NULL WHERE remote=?1 AND sum IS NOT NULL AND first IN (
          SELECT (SELECT max(first) FROM syncd_chunk WHERE remote=?1 AND first<=plan.id)
          FROM temp.plan WHERE action=?2)
        """, [.integer(remote), .integer(action.rawValue)])
    }
  }

  /// The chunks of a remote's base, every one with its sum; those that had none are kept with it.
  ///
  /// - Parameter keepsSums: false to write nothing.
  func foldedChunks(
    remote: Int64, hashing: RangeHashing, keepsSums: Bool = true
  ) throws(SyncError) -> [ChunkedRanges.Chunk] {
    let fold = {
      () throws -> (chunks: [ChunkedRanges.Chunk], folded: [(String, [ChunkedRanges.Chunk])]) in
      let stored = try self.storedChunks(remote: remote)
      var chunks: [ChunkedRanges.Chunk] = []
      var folded: [(String, [ChunkedRanges.Chunk])] = []
      for (index, chunk) in stored.enumerated() {
        if let sum = chunk.sum {
          chunks.append(ChunkedRanges.Chunk(first: chunk.first, sum: sum))
          continue
        }
        let next = index + 1 < stored.count ? stored[index + 1].first : nil
        let parts = try self.sum(
          IDRange(from: chunk.first, to: next), remote: remote, hashing: hashing)
        // Whatever is left of a chunk that was emptied belongs to the one before it.
        let isGone = chunk.first != nil && parts.allSatisfy { $0.sum.count == 0 }
        if !isGone {
          chunks += [ChunkedRanges.Chunk(first: chunk.first, sum: parts[0].sum)] + parts.dropFirst()
        }
        folded.append((chunk.first?.string ?? "", isGone ? [] : parts))
      }
      return (chunks, folded)
    }
    guard keepsSums, access == .readWrite else { return try reporting { try fold().chunks } }
    guard try reporting({ try self.hasUnsummedChunks(remote: remote) }) else {
      return try reporting { try fold().chunks }
    }
    return try writing {
      let (chunks, folded) = try fold()
      for (first, parts) in folded { try self.replaceChunk(first, with: parts, remote: remote) }
      return chunks
    }
  }

  private func hasUnsummedChunks(remote: Int64) throws -> Bool {
    try database.integer(
      """
      SELECT EXISTS(SELECT 1 FROM syncd_chunk WHERE remote=?1 AND sum IS NULL)
        OR NOT EXISTS(SELECT 1 FROM syncd_chunk WHERE remote=?1)
      """, [.integer(remote)]) == 1
  }

  /// One without a sum where there are none yet.
  private func storedChunks(
    remote: Int64
  ) throws -> [(first: ProjectID?, sum: RangeSum?)] {
    let select = try database.prepare(
      "SELECT first, count, sum FROM syncd_chunk WHERE remote=? ORDER BY first")
    defer { select.reset() }
    try select.bind([.integer(remote)])
    var chunks: [(ProjectID?, RangeSum?)] = []
    while try select.step() {
      chunks.append(
        (
          chunks.isEmpty ? nil : ProjectID(trusted: select.text(0)),
          select.isNull(2)
            ? nil : RangeSum(count: Int(select.integer(1)), bytes: select.bytes(2))
        ))
    }
    return chunks.isEmpty ? [(nil, nil)] : chunks
  }

  private func sum(
    _ range: IDRange, remote: Int64, hashing: RangeHashing
  ) throws -> [ChunkedRanges.Chunk] {
    var chunks = [ChunkedRanges.Chunk(first: nil)]
    try database.forEachItem(in: range, remote: remote) { item in
      if chunks[chunks.count - 1].sum.count == 0 { try Task.checkCancellation() }
      ChunkedRanges.Chunk.append(item, to: &chunks, hashing: hashing)
    }
    return chunks
  }

  /// - Parameter parts: none to remove it; the first is named by the chunk that it was.
  private func replaceChunk(
    _ first: String, with parts: [ChunkedRanges.Chunk], remote: Int64
  ) throws {
    if parts.isEmpty {
      return try database.run(
        "DELETE FROM syncd_chunk WHERE remote=? AND first=?", [.integer(remote), .text(first)])
    }
    for (index, part) in parts.enumerated() {
      try database.run(
        "INSERT OR REPLACE INTO syncd_chunk(remote, first, count, sum) VALUES(?,?,?,?)",
        [
          .integer(remote), .text(index == 0 ? first : part.first?.string ?? ""),
          .integer(Int64(part.sum.count)), .blob(part.sum.bytes),
        ])
    }
  }
}

extension Database {
  /// Hands over what the base says that the remote holds in a range, in the order of ids.
  func forEachItem(
    in range: IDRange, remote: Int64, _ body: (RangeItem) throws -> Void
  ) throws {
    let end = range.upper == nil ? "" : "AND id < ?3"
    let select = try prepare(
      """
      SELECT id, remote_version FROM syncd_base
      WHERE remote = ?1 AND id >= ?2 \(end) ORDER BY id
      """)
    defer { select.reset() }
    let upper = range.upper.map { [SQLValue.text($0.string)] } ?? []
    try select.bind([.integer(remote), .text(range.lower?.string ?? "")] + upper)
    while try select.step() {
      try body(RangeItem(ProjectID(trusted: select.text(0)), Version(select.text(1))))
    }
  }
}
