import SyncKit
import Testing

/// One plan's totals and whether a guard refuses it.
struct GuardRow: Sendable, CustomTestStringConvertible {
  var behaviour: String
  var direction: Direction
  var guards = Guards()
  var totals = PlanTotals()
  var refused: Refusal.Guard?
  var side: Side?

  init(
    _ behaviour: String, _ direction: Direction, local: PlanTotals.SideTotals = .init(),
    remote: PlanTotals.SideTotals = .init(), known: Int = 0, hasSynced: Bool = true,
    _ refused: Refusal.Guard? = nil, on side: Side? = nil, change: (inout Guards) -> Void = { _ in }
  ) {
    self.behaviour = behaviour
    self.direction = direction
    totals.local = local
    totals.remote = remote
    totals.known = known
    totals.hasSynced = hasSynced
    self.refused = refused
    self.side = side
    change(&guards)
  }

  var testDescription: String { "\(direction): \(behaviour)" }
}

/// A side with so many records, of which so many would be deleted.
private func side(
  _ records: Int, deletions: Int = 0, explicit: Int = 0
) -> PlanTotals.SideTotals {
  PlanTotals.SideTotals(records: records, deletions: deletions, explicitDeletions: explicit)
}

@Suite("Guards: when not to act at all")
struct GuardsTests {
  @Test("an empty side", arguments: emptySides)
  func emptySide(row: GuardRow) { check(row) }

  @Test("mass deletion", arguments: massDeletions)
  func massDeletion(row: GuardRow) { check(row) }

  private func check(_ row: GuardRow) {
    let refusal = row.guards.refusal(of: row.totals, direction: row.direction)
    #expect(refusal?.guard == row.refused)
    if let side = row.side { #expect(refusal?.side == side) }
    if let refusal, refusal.deletions > 0 {
      #expect(refusal.deletions == row.totals[refusal.side].deletions)
      #expect(refusal.of == row.totals[refusal.side].records)
    }
  }

  @Test("an empty side says nothing of records that are deleted by nobody's wish, edits or not")
  func emptySideWithPendingEdits() {
    // Twenty records were agreed on, the remote is a new empty server, one record was edited here.
    let row = GuardRow(
      "", .both, local: side(6, deletions: 5), known: 6, .emptySide, on: .local)
    check(row)
  }

  static let emptySides = [
    GuardRow("both empty is fine", .push, hasSynced: false),
    GuardRow("both empty is fine, the second time too", .both),
    GuardRow(
      "a fresh store does not empty the remote", .push, remote: side(20, deletions: 20),
      hasSynced: false, .emptySide, on: .remote),
    GuardRow(
      "a fresh store is refused even where nothing would be deleted", .push, remote: side(20),
      hasSynced: false, .emptySide, on: .remote),
    GuardRow("a fresh store is filled", .pull, remote: side(20), hasSynced: false),
    GuardRow("a fresh store is filled", .both, remote: side(20), hasSynced: false),
    GuardRow(
      "a lost store does not empty the remote", .push, remote: side(20, deletions: 20),
      known: 20, .emptySide, on: .remote),
    GuardRow(
      "a lost store does not empty the remote", .both, remote: side(20, deletions: 20),
      known: 20, .emptySide, on: .remote),
    GuardRow(
      "an emptied remote does not empty the store", .both, local: side(5, deletions: 5),
      known: 5, .emptySide, on: .local),
    GuardRow(
      "an emptied remote does not empty the store", .pull, local: side(1, deletions: 1),
      known: 1, .emptySide, on: .local),
    GuardRow(
      "the only project, removed with rm", .push, remote: side(1, deletions: 1, explicit: 1),
      known: 1),
    GuardRow(
      "the last three, removed in SQL", .both, remote: side(3, deletions: 3, explicit: 3),
      known: 3),
    GuardRow(
      "tombstones are explicit too", .pull, local: side(3, deletions: 3, explicit: 3), known: 3),
    GuardRow(
      "one that nobody removed is one too many", .push,
      remote: side(3, deletions: 3, explicit: 2), known: 3, .emptySide, on: .remote),
    GuardRow(
      "as many explicit deletions as the limit", .push,
      remote: side(10, deletions: 10, explicit: 10), known: 10),
    GuardRow(
      "more explicit deletions than the limit", .push,
      remote: side(11, deletions: 11, explicit: 11), known: 11, .emptySide, on: .remote),
    GuardRow(
      "more explicit deletions than a limit that was set", .push,
      remote: side(3, deletions: 3, explicit: 3), known: 3, .emptySide, on: .remote
    ) { $0.maxDeletions = 2 },
    GuardRow(
      "deletions that leave something on the side do not empty it", .push,
      remote: side(30, deletions: 12, explicit: 12), known: 12),
    GuardRow(
      "allowEmpty lifts it", .push, remote: side(5, deletions: 5), hasSynced: false
    ) { $0.allowEmpty = true },
    GuardRow(
      "allowEmpty does not lift the other guard", .push, remote: side(20, deletions: 20),
      .massDeletion, on: .remote
    ) { $0.allowEmpty = true },
    GuardRow(
      "allowEmpty and forceDelete lift both", .push, remote: side(20, deletions: 20)
    ) {
      $0.allowEmpty = true
      $0.forceDelete = true
    },
    GuardRow(
      "forceDelete does not lift this one", .push, remote: side(20, deletions: 20), .emptySide
    ) { $0.forceDelete = true },
    GuardRow("a remote that never held anything is filled", .push, local: side(20)),
    GuardRow("a remote that lost a few is filled again", .push, local: side(10), known: 10),
    GuardRow(
      "a remote that lost everything at once is not believed", .push, local: side(20), known: 20,
      .emptySide, on: .remote),
  ]

  static let massDeletions = [
    GuardRow("ten are never too many", .push, local: side(2), remote: side(12, deletions: 10)),
    GuardRow(
      "eleven of twenty-one are more than half", .push, local: side(10),
      remote: side(21, deletions: 11), .massDeletion, on: .remote),
    GuardRow(
      "eleven of twenty-two are not more than half", .push, local: side(11),
      remote: side(22, deletions: 11)),
    GuardRow(
      "ninety-five of a hundred", .pull, local: side(100, deletions: 95), remote: side(5),
      .massDeletion, on: .local),
    GuardRow(
      "on either side", .both, local: side(40, deletions: 1), remote: side(40, deletions: 30),
      .massDeletion, on: .remote),
    GuardRow(
      "wanted or not", .push, local: side(5), remote: side(100, deletions: 95, explicit: 95),
      .massDeletion, on: .remote),
    GuardRow(
      "forceDelete lifts it", .push, local: side(5), remote: side(100, deletions: 95)
    ) { $0.forceDelete = true },
    GuardRow(
      "allowEmpty does not", .push, local: side(5), remote: side(100, deletions: 95),
      .massDeletion
    ) { $0.allowEmpty = true },
    GuardRow(
      "a higher number can be set", .push, local: side(5), remote: side(100, deletions: 95)
    ) { $0.maxDeletions = 95 },
    GuardRow(
      "a higher share can be set", .push, local: side(5), remote: side(100, deletions: 95)
    ) { $0.maxDeletionShare = 0.95 },
    GuardRow(
      "a lower share can be set", .push, local: side(85), remote: side(100, deletions: 15),
      .massDeletion
    ) { $0.maxDeletionShare = 0.1 },
    GuardRow(
      "no deletion at all passes the strictest limits", .push, local: side(5), remote: side(5)
    ) {
      $0.maxDeletions = 0
      $0.maxDeletionShare = 0
    },
  ]
}
