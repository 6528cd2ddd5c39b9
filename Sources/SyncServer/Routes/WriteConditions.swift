internal import HTTPServer

/// What a write supposes of the record it replaces or removes.
struct WriteConditions: Sendable, Equatable {
  var match: EntityTags?
  var noneMatch: EntityTags?
  /// Whether a record is not to be stored that was here, in this very version, and was deleted since.
  var keepsDeletions = false

  /// Whether there is to be no record, and nothing else is asked.
  var wantsNone: Bool { match == nil && noneMatch == .any }

  /// - Parameter tag: that of the record there is; nil when there is none.
  func hold(for tag: RecordTag?) -> Bool {
    if match == nil, noneMatch == nil { return true }
    let tag = tag?.description
    if let match, !match.matches(tag) { return false }
    if let noneMatch, noneMatch.matchesWeakly(tag) { return false }
    return true
  }
}

extension Request {
  var conditions: WriteConditions {
    get throws(Problem) {
      var conditions = WriteConditions()
      if let field = field("If-Match") { conditions.match = try EntityTags(field) }
      if let field = field("If-None-Match") { conditions.noneMatch = try EntityTags(field) }
      conditions.keepsDeletions = keepsDeletions
      return conditions
    }
  }

  /// Whether the client asks not to undo the deletion of the very version that it sends: it may not have
  /// heard that it was stored.
  var keepsDeletions: Bool { field("Syncd-Keep-Deletions") == "?1" }
}
