import SyncKit

/// One change that somebody made on a device, and what it was made on top of.
struct Change {
  var id: ProjectID
  /// Nil for a deletion.
  var token: String?
  /// The version that the device held; nil where it held none.
  var parent: String?
  var device: Int
  /// Whether the store said that it was done; else a crash came in between.
  var isSure: Bool
  /// Whether it may be gone with a store that was put back from a backup.
  var isAtRisk = false
  /// The record as it then was.
  var project: Project?
}

/// Every change that a store accepted, and every version that was safe in some history before a
/// store was put back.
struct Ledger {
  private(set) var changes: [Change] = []
  /// Versions in stores that are no more.
  var archive: Set<Row> = []
  /// Versions that may have been stored by runs which did not hear of it.
  var unheard: Set<Row> = []
  private var byID: [ProjectID: [Int]] = [:]
  /// Versions that stores which were put back send again, whatever became of them.
  private var sentAgain: Set<Row> = []

  mutating func note(_ change: Change) {
    var change = change
    if let parent = change.parent, sentAgain.contains(Row(id: change.id, token: parent)) {
      change.isAtRisk = true
    }
    byID[change.id, default: []].append(changes.count)
    changes.append(change)
  }

  func changes(of id: ProjectID) -> [Change] { byID[id, default: []].map { changes[$0] } }

  var ids: [ProjectID] { byID.keys.sorted() }

  /// Notes that a device lost what it did after `moment`, the number of changes there were then.
  mutating func risk(device: Int, after moment: Int) {
    for index in changes.indices.dropFirst(moment) where changes[index].device == device {
      changes[index].isAtRisk = true
    }
  }

  /// Notes that a store was put back in which these versions wait to be sent. They may have been
  /// sent since, and changed or deleted by others, which the store cannot know: they are sent again,
  /// also over what others make of them before it does.
  mutating func risk(changesOf pending: Set<Row>) {
    sentAgain.formUnion(pending)
    for index in changes.indices {
      guard let parent = changes[index].parent else { continue }
      if pending.contains(Row(id: changes[index].id, token: parent)) {
        changes[index].isAtRisk = true
      }
    }
  }

  /// Notes that a device saw an empty remote, which it may believe: what it had deleted and the
  /// remote has after all is new to it again.
  ///
  /// - Parameter moment: the number of changes there were when all that was deleted was deleted there too.
  mutating func riskDeletions(of device: Int, after moment: Int = 0) {
    let deleted = Set(
      changes.dropFirst(moment).lazy.filter { $0.device == device && $0.token == nil }.map(\.id))
    for index in changes.indices
    where changes[index].device == device && deleted.contains(changes[index].id) {
      changes[index].isAtRisk = true
    }
  }
}

/// The changes of one id as the tree that they make.
struct Lineages {
  let changes: [Change]

  /// Edits that nobody is known to have changed or deleted, knowing them.
  ///
  /// - Parameter certainly: whether a change that may be lost counts as none.
  func leaves(certainly: Bool) -> [Change] {
    changes.filter { edit in
      guard let token = edit.token else { return false }
      return !changes.contains {
        $0.parent == token && (!certainly || ($0.isSure && !$0.isAtRisk))
      }
    }
  }

  /// Whether `token` was written by somebody who did not know `other`, nor the other way round.
  func areConcurrent(_ token: String, _ other: String) -> Bool {
    token != other && !ancestors(of: token).contains(other)
      && !ancestors(of: other).contains(token)
  }

  func ancestors(of token: String) -> Set<String> {
    var found: Set<String> = []
    var next = changes.first { $0.token == token }?.parent
    while let token = next, found.insert(token).inserted {
      next = changes.first { $0.token == token }?.parent
    }
    return found
  }
}
