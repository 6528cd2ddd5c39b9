extension LocalStore {
  /// Characters of an id's beginning that are enough to name it, if no other begins so.
  private static let leastPrefix = 4
  private static let candidatesShown = 5

  /// Finds the id that a person means: the whole id, or its beginning of four characters or more.
  ///
  /// - Parameter includingDeleted: whether ids that only the history knows count as well.
  /// - Throws: `.notFound`; `.invalidInput`, with the candidates, when several ids begin so.
  public func resolve(
    _ text: String, includingDeleted: Bool = false
  ) throws(SyncError) -> ProjectID {
    try reporting {
      let candidates = try ids(beginningWith: text, includingDeleted: includingDeleted)
      if let whole = candidates.first(where: { $0.string.utf8.elementsEqual(text.utf8) }) {
        return whole
      }
      guard text.count >= Self.leastPrefix else {
        throw SyncError(
          .notFound,
          "there is no project \(text); give the whole id, or at least its first"
            + " \(Self.leastPrefix) characters")
      }
      guard let first = candidates.first else {
        throw SyncError(
          .notFound, "there is no project whose id begins with \(text); `syncd list` shows them")
      }
      guard candidates.count == 1 else {
        let shown = candidates.prefix(Self.candidatesShown).map { "\n  \($0)" }.joined()
        let more = candidates.count > Self.candidatesShown ? "\n  and more" : ""
        throw SyncError(
          .invalidInput, "several ids begin with \(text); give more of it:\(shown)\(more)")
      }
      return first
    }
  }

  /// The first ids that begin with `text`, one more than is shown, in the order of their bytes;
  /// `text` itself comes first.
  private func ids(beginningWith text: String, includingDeleted: Bool) throws -> [ProjectID] {
    // Nothing in UTF-8 sorts after U+10FFFF.
    let range = "id>=?1 AND id<?1||char(1114111)"
    let statement = try database.prepare(
      "SELECT id FROM projects WHERE \(range)"
        + (includingDeleted ? " UNION SELECT id FROM syncd_history WHERE \(range)" : "")
        + " ORDER BY id LIMIT \(Self.candidatesShown + 1)")
    defer { statement.reset() }
    try statement.bind(text, at: 1)
    var ids: [ProjectID] = []
    while try statement.step() { ids.append(ProjectID(trusted: statement.text(0))) }
    return ids
  }
}
