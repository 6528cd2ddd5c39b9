/// A comparison with the remote's set, as it goes on.
struct RangeInquiry {
  let set: ChunkedRanges
  var inquirer: RangeInquirer
}

/// What the base says that the remote holds, as the set that is compared with the remote's own.
extension LocalStore {
  /// Begins a comparison.
  ///
  /// - Parameter keepsSums: whether the sums that have to be made are kept for the next.
  package func beginInquiry(
    remote: Int64, hashing: RangeHashing, keepsSums: Bool
  ) throws(SyncError) {
    let chunks = try foldedChunks(remote: remote, hashing: hashing, keepsSums: keepsSums)
    inquiry = try reporting {
      let set = ChunkedRanges(
        chunks, hashing: hashing,
        reader: .init { [database] range, body in
          try database.forEachItem(in: range, remote: remote, body)
        } last: { [database] id in
          try database.text(
            "SELECT id FROM syncd_base WHERE remote=? AND id<? ORDER BY id DESC LIMIT 1",
            [.integer(remote), .text(id.string)]
          ).map { ProjectID(trusted: $0) }
        })
      return RangeInquiry(set: set, inquirer: try RangeInquirer(set))
    }
  }

  /// The next question; nil once everything is known.
  package func inquire() -> RangeQuestion? {
    guard inquiry?.inquirer.isDone == false else { return nil }
    return inquiry?.inquirer.question()
  }

  /// Takes the answer to the question asked last: what differs goes to the listing, as changes do.
  ///
  /// - Returns: how much of it there was; nil for an answer that is none to the question.
  package func take(
    _ answer: RangeAnswer, to question: RangeQuestion
  ) throws(SyncError) -> Int? {
    let changes: [RemoteChange]? = try reporting {
      guard var inquiry else { return nil }
      do {
        let changes = try inquiry.inquirer.take(answer, to: question, from: inquiry.set)
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
