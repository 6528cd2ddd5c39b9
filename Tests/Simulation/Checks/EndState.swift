import SyncKit

/// What every end holds when all is quiet.
struct EndState {
  /// The remote's records, by id.
  var remote: [ProjectID: Project]
  var devices: [[ProjectID: Project]]
  /// What is in any device's history.
  var histories: [Set<Row>]
}

/// Looks whether a quiet world is as it has to be.
struct EndChecks {
  let ledger: Ledger
  let end: EndState
  let setup: Setup
  /// What the devices were seen to hold.
  let held: [Set<Row>]
  let report: (_ rule: String, _ detail: String) -> Void

  func check() {
    checkEquality()
    for id in ledger.ids { check(Lineages(changes: ledger.changes(of: id)), of: id) }
    checkCopies()
  }

  private var policy: ConflictPolicy { setup.policy }
  private var pushers: Range<Int> { setup.devices - setup.pushers..<setup.devices }

  /// Whether a device that only sends had a hand in it: it puts back what others deleted, deletes what
  /// others edited, and its edits win over those that it does not know.
  private func isPushed(_ id: ProjectID, _ lineages: Lineages) -> Bool {
    pushers.contains { pusher in
      lineages.changes.contains { $0.device == pusher } || held[pusher].contains { $0.id == id }
    }
  }

  /// Whether the id may be on one side only: somebody deleted it, where deletions stay at home.
  private func isKeptApart(_ id: ProjectID) -> Bool {
    setup.deletions == .never && ledger.changes(of: id).contains { $0.token == nil }
  }

  private func checkEquality() {
    for (index, contents) in end.devices.enumerated() where !pushers.contains(index) {
      for id in Set(contents.keys).union(end.remote.keys).sorted() {
        guard let mine = contents[id], let theirs = end.remote[id] else {
          if isKeptApart(id) { continue }
          let has = contents[id] != nil
          report(
            "equal", "\(id): device \(index) \(has ? "has" : "lacks") it, the remote does not agree"
          )
          continue
        }
        guard ContentComparison(local: mine, remote: theirs) != .same else { continue }
        report("equal", "\(id): device \(index) holds \(mine.title), the remote \(theirs.title)")
      }
    }
  }

  private func check(_ lineages: Lineages, of id: ProjectID) {
    let final = end.remote[id]
    let isPushed = isPushed(id, lineages)
    var kept = end.histories.reduce(into: ledger.archive) { $0.formUnion($1) }
    for (index, contents) in end.devices.enumerated() {
      guard isKeptApart(id) || pushers.contains(index), let own = contents[id] else { continue }
      kept.insert(Row(id: id, token: own.title))
    }
    // Where deletions stay at home, so does an edit that was deleted before it was sent.
    if let final, !isPushed, !isKeptApart(id), !isMerged(final, lineages),
      !lineages.leaves(certainly: true).contains(where: { $0.token == final.title }),
      !lineages.changes.contains(where: { forgives($0, final, lineages) }),
      !(setup.forgetsDeletions
        && (setup.isPutBack || ledger.unheard.contains(Row(id: id, token: final.title))))
    {
      report("undone", "\(id): \(final.title) is back, although it was changed or deleted")
    }
    let leaves = lineages.leaves(certainly: false)
    for edit in leaves where edit.isSure && !edit.isAtRisk {
      guard let token = edit.token, token != final?.title else { continue }
      if !kept.contains(Row(id: id, token: token)) {
        report("lost", "\(id): \(token) of device \(edit.device) is nowhere")
      } else if !isPushed, !forgives(edit, final, lineages),
        !lineages.changes.contains(where: {
          $0.token.map { lineages.areConcurrent(token, $0) } ?? false
        })
      {
        report("lost", "\(id): \(token) of device \(edit.device) lost to nobody's edit")
      }
    }
    if policy == .newest, !isPushed { checkWinner(leaves, final, lineages, id) }
  }

  /// Under the policy `merge` two concurrent edits become a third that nobody wrote down, under the title
  /// of one of them: to whoever changed or deleted that one it is an edit.
  private func isMerged(_ final: Project, _ lineages: Lineages) -> Bool {
    policy == .merge
      && lineages.changes.contains { change in
        change.token.map { lineages.areConcurrent($0, final.title) } ?? false
      }
  }

  /// Under the policy `local`, and where people decide, a device that never heard that its upload was
  /// stored puts it back over what another device made of it: it cannot know that the remote's version
  /// came from its own. The one that loses is kept.
  private func forgives(_ edit: Change, _ final: Project?, _ lineages: Lineages) -> Bool {
    guard policy == .local || policy == .manual, let token = edit.token else { return false }
    let ancestors = lineages.ancestors(of: token)
    let returned = lineages.changes.filter { change in
      change.device != edit.device && change.token.map { ancestors.contains($0) } == true
    }
    // What was put back may have been deleted since, by somebody who knew it.
    return final == nil ? !returned.isEmpty : returned.contains { $0.token == final?.title }
  }

  /// Where nothing but edits met, the greatest stamp and then the greatest hash has won.
  private func checkWinner(
    _ leaves: [Change], _ final: Project?, _ lineages: Lineages, _ id: ProjectID
  ) {
    guard let final,
      lineages.changes.allSatisfy({ $0.isSure && !$0.isAtRisk && $0.token != nil })
    else { return }
    let projects = leaves.compactMap(\.project)
    guard projects.count == leaves.count,
      let best = projects.max(by: { EndChecks.loses($0, to: $1) }), best.title != final.title
    else { return }
    report("winner", "\(id): \(final.title) stands, and \(best.title) should have won")
  }

  static func loses(_ one: Project, to other: Project) -> Bool {
    if one.updatedAt != other.updatedAt { return one.updatedAt < other.updatedAt }
    return ContentComparison(local: one, remote: other) == .different(greaterHash: .remote)
  }

  /// What a device held and holds no more is in its own history.
  private func checkCopies() {
    for (index, held) in held.enumerated() {
      for row in held.sorted(by: { ($0.id, $0.token) < ($1.id, $1.token) })
      where end.devices[index][row.id]?.title != row.token
        && !end.histories[index].contains(row)
      {
        report("copies", "\(row.id): device \(index) kept no copy of \(row.token)")
      }
    }
  }
}
