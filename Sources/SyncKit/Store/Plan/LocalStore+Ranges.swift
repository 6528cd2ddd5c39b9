/// A comparison with the remote's set, as it goes on.
struct RangeInquiry {
  let set: ChunkedRanges
  var inquirer: RangeInquirer
}

/// What the base says that the remote holds, as the set that is compared with the remote's own.
extension LocalStore {
  /// Begins a comparison.
  package func beginInquiry(remote: Int64, hashing: RangeHashing) throws(SyncError) {
    let chunks = try foldedChunks(remote: remote, hashing: hashing)
    inquiry = try reporting {
      let set = ChunkedRanges(chunks, hashing: hashing) { [database] range in
        var items: [RangeItem] = []
        try database.forEachItem(in: range, remote: remote) { items.append($0) }
        return items
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
