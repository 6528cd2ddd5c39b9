/// A comparison with the remote's set, as it goes on.
struct RangeInquiry {
  let set: ChunkedRanges
  var inquirer: RangeInquirer
}

/// What the base says that the remote holds, as the set that is compared with the remote's own.
extension LocalStore {
  /// Begins a comparison: one pass over the base.
  package func beginInquiry(remote: Int64, hashing: RangeHashing) throws(SyncError) {
    inquiry = try reporting {
      let select = try database.prepare(
        "SELECT id, remote_version FROM syncd_base WHERE remote = ? ORDER BY id")
      defer { select.reset() }
      try select.bind([.integer(remote)])
      var chunks = [ChunkedRanges.Chunk(first: nil)]
      while try select.step() {
        if chunks[chunks.count - 1].sum.count == 0 { try Task.checkCancellation() }
        ChunkedRanges.Chunk.append(select.rangeItem, to: &chunks, hashing: hashing)
      }
      let set = ChunkedRanges(chunks, hashing: hashing) { [database] range in
        try database.items(in: range, remote: remote)
      }
      return RangeInquiry(set: set, inquirer: try RangeInquirer(set))
    }
  }

  /// The next question; nil once everything is known, or too much has been asked.
  package func inquire() throws(SyncError) -> [AskedRange]? {
    try reporting {
      guard var inquiry, !inquiry.inquirer.isDone else { return nil }
      let asked = try inquiry.inquirer.question(from: inquiry.set)
      self.inquiry = inquiry
      return asked
    }
  }

  /// Takes the answer to the question asked last: what differs goes to the listing, as changes do.
  ///
  /// - Returns: how much of it there was; nil for an answer that is none to the question.
  package func take(_ answer: RangeAnswer, to asked: [AskedRange]) throws(SyncError) -> Int? {
    let changes: [RemoteChange]? = try reporting {
      guard var inquiry else { return nil }
      do {
        let changes = try inquiry.inquirer.take(answer.ranges, to: asked, from: inquiry.set)
        self.inquiry = inquiry
        return changes
      } catch is RangeInquirer.Malformed {
        return nil
      }
    }
    guard let changes else { return nil }
    try appendChanges(changes)
    return changes.count
  }

  package func endInquiry() { inquiry = nil }
}

extension Database {
  fileprivate func items(in range: IDRange, remote: Int64) throws -> [RangeItem] {
    let end = range.upper == nil ? "" : "AND id < ?3"
    let select = try prepare(
      """
      SELECT id, remote_version FROM syncd_base
      WHERE remote = ?1 AND id >= ?2 \(end) ORDER BY id
      """)
    defer { select.reset() }
    let upper = range.upper.map { [SQLValue.text($0.string)] } ?? []
    try select.bind([.integer(remote), .text(range.lower?.string ?? "")] + upper)
    var items: [RangeItem] = []
    while try select.step() { items.append(select.rangeItem) }
    return items
  }
}

extension Statement {
  fileprivate var rangeItem: RangeItem {
    RangeItem(ProjectID(trusted: text(0)), Version(text(1)))
  }
}
