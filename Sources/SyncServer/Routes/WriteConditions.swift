internal import HTTPServer

/// Which deletions a record that is to be stored does not undo, as its client asks.
enum KeptDeletions: Sendable {
  case none
  /// That of the very version that is sent: the client may not have heard that it was stored.
  case ofVersion
  /// Those of later versions too: the client knows that what it sends was here, and has not changed it.
  case ofLater

  /// - Parameters:
  ///   - tag: the deletion's, with the hash of what was deleted.
  ///   - stamp: the `updatedAt` of what was deleted.
  func hold(_ record: SubmittedRecord, against tag: RecordTag, _ stamp: String) -> Bool {
    switch self {
    case .none: false
    case .ofVersion: tag.hash == record.hash
    case .ofLater: tag.hash == record.hash || stamp > record.stamp
    }
  }
}

/// What a write supposes of the record it replaces or removes.
struct WriteConditions: Sendable, Equatable {
  var match: EntityTags?
  var noneMatch: EntityTags?
  var keptDeletions = KeptDeletions.none

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
      conditions.keptDeletions = keptDeletions
      return conditions
    }
  }

  var keptDeletions: KeptDeletions {
    switch field("Syncd-Keep-Deletions") {
    case "?1": .ofVersion
    case "?1;later": .ofLater
    default: .none
    }
  }
}
