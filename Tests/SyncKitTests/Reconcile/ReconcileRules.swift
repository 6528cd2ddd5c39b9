import SyncKit
import Testing

/// One situation of one record, and what is to happen.
///
/// Stamps are small numbers; `agreed` says what the base holds: the local stamp and the remote's
/// version.
struct Rule: Sendable, CustomTestStringConvertible {
  var behaviour: String
  var direction: Direction
  var deletions: DeletionPolicy
  var conflicts: ConflictPolicy
  var local: Int64?
  var remote: (stamp: Int64, version: String)?
  var agreed: (stamp: Int64, version: String)?
  var contents: ContentComparison?
  var canMerge: Bool
  var decision: Decision

  /// - Parameter contents: nil where the rule must not ask for the contents.
  init(
    _ behaviour: String, _ direction: Direction, deletions: DeletionPolicy = .propagate,
    conflicts: ConflictPolicy = .newest, local: Int64? = nil,
    remote: (stamp: Int64, version: String)? = nil,
    agreed: (stamp: Int64, version: String)? = nil,
    contents: ContentComparison? = nil, canMerge: Bool = false, _ decision: Decision
  ) {
    self.behaviour = behaviour
    self.direction = direction
    self.deletions = deletions
    self.conflicts = conflicts
    self.local = local
    self.remote = remote
    self.agreed = agreed
    self.contents = contents
    self.canMerge = canMerge
    self.decision = decision
  }

  var testDescription: String { "\(direction): \(behaviour)" }

  func check() {
    let reconciler = Reconciler(
      direction: direction, deletions: deletions, conflicts: conflicts)
    let local = local.map { LocalEntry(updatedAt: Timestamp(microseconds: $0)) }
    let remote = remote.map {
      RemoteEntry(updatedAt: Timestamp(microseconds: $0.stamp), version: Version($0.version))
    }
    let base = agreed.map {
      BaseEntry(
        localUpdatedAt: Timestamp(microseconds: $0.stamp), remoteVersion: Version($0.version))
    }
    let first = reconciler.decide(local: local, remote: remote, base: base)
    #expect(first == (contents == nil ? decision : .compareContents))
    #expect(
      reconciler.decide(
        local: local, remote: remote, base: base, contents: contents, canMerge: canMerge)
        == decision)
  }
}

private let localHash = ContentComparison.different(greaterHash: .local)
private let remoteHash = ContentComparison.different(greaterHash: .remote)

@Suite("Reconciler: the rules, one row each")
struct ReconcileRules {
  @Test("push makes the remote equal to the local store", arguments: pushRules)
  func push(rule: Rule) { rule.check() }

  @Test("pull makes the local store equal to the remote", arguments: pullRules)
  func pull(rule: Rule) { rule.check() }

  @Test("both is two-way", arguments: bothRules)
  func both(rule: Rule) { rule.check() }

  @Test("two spellings of one character are two projects", arguments: Direction.allCases)
  func spellings(direction: Direction) throws {
    let composed = try ProjectID("\u{E9}")
    let decomposed = try ProjectID("e\u{301}")
    let copy = Scenario.Copy(
      updatedAt: Timestamp(microseconds: 1), version: Version("a"), hash: "a")
    let scenario = Scenario(local: [composed: copy], remote: [decomposed: copy])
    let plan = scenario.plan(by: Reconciler(direction: direction))
    let expected: [ProjectID: Decision] =
      switch direction {
      case .push: [composed: .append(to: .remote), decomposed: .delete(from: .remote)]
      case .pull: [composed: .delete(from: .local), decomposed: .append(to: .local)]
      case .both: [composed: .append(to: .remote), decomposed: .append(to: .local)]
      }
    #expect(plan == expected)
  }

  static let pushRules = [
    Rule("what only the local store has is appended", .push, local: 1, .append(to: .remote)),
    Rule(
      "what the remote deleted is appended again", .push, local: 1, agreed: (1, "a"),
      .append(to: .remote)),
    Rule(
      "what only the remote has is deleted there", .push, remote: (1, "a"),
      .delete(from: .remote)),
    Rule(
      "known: what was never agreed on is kept", .push, deletions: .known, remote: (1, "a"),
      .keep(on: .remote)),
    Rule(
      "known: what was agreed on is deleted", .push, deletions: .known, remote: (1, "a"),
      agreed: (1, "a"), .delete(from: .remote)),
    Rule(
      "known: what the remote changed since is deleted too", .push, deletions: .known,
      remote: (2, "b"), agreed: (1, "a"), .delete(from: .remote)),
    Rule(
      "never: nothing is deleted", .push, deletions: .never, remote: (1, "a"), agreed: (1, "a"),
      .keep(on: .remote)),
    Rule(
      "nothing happens where neither changed, whatever the stamps", .push, local: 1,
      remote: (9, "a"), agreed: (1, "a"), .unchanged),
    Rule(
      "a local edit goes out, though the remote's clock is ahead", .push, local: 2,
      remote: (9, "a"), agreed: (1, "a"), .update(.remote)),
    Rule(
      "a local edit goes out, though the local clock went back", .push, local: 1,
      remote: (5, "a"), agreed: (5, "a"), .update(.remote)),
    Rule(
      "the newer local version wins where both changed", .push, local: 9, remote: (8, "b"),
      agreed: (1, "a"), .update(.remote)),
    Rule(
      "the newer local version wins at first contact", .push, local: 9, remote: (8, "b"),
      .update(.remote)),
    Rule(
      "equal stamps at first contact are agreed without a look", .push, local: 5,
      remote: (5, "a"), .adopt),
    Rule(
      "a newer remote with the same contents is agreed", .push, local: 5, remote: (6, "a"),
      contents: .same, .adopt),
    Rule(
      "a newer remote with other contents is left alone", .push, local: 5, remote: (6, "a"),
      contents: localHash, .leaveNewer(on: .remote)),
    Rule(
      "the remote alone changed: left alone", .push, local: 5, remote: (6, "b"),
      agreed: (5, "a"), contents: remoteHash, .leaveNewer(on: .remote)),
    Rule(
      "the remote alone changed its version, not its contents: agreed", .push, local: 5,
      remote: (5, "b"), agreed: (5, "a"), contents: .same, .adopt),
    Rule(
      "equal stamps, both changed, contents differ: local goes out", .push, local: 6,
      remote: (6, "b"), agreed: (5, "a"), contents: remoteHash, .update(.remote)),
    Rule(
      "equal stamps, only the remote changed, contents differ: left alone", .push, local: 5,
      remote: (5, "b"), agreed: (5, "a"), contents: localHash, .leaveNewer(on: .remote)),
    Rule(
      "an older remote that alone changed is overwritten", .push, local: 5, remote: (4, "b"),
      agreed: (5, "a"), .update(.remote)),
    Rule("what neither has is forgotten", .push, agreed: (1, "a"), .forget),
  ]

  static let pullRules = [
    Rule("what only the remote has is appended", .pull, remote: (1, "a"), .append(to: .local)),
    Rule(
      "what was deleted here is appended again", .pull, remote: (1, "a"), agreed: (1, "a"),
      .append(to: .local)),
    Rule("what only the local store has is deleted", .pull, local: 1, .delete(from: .local)),
    Rule(
      "known: what was never agreed on is kept", .pull, deletions: .known, local: 1,
      .keep(on: .local)),
    Rule(
      "known: what was agreed on is deleted", .pull, deletions: .known, local: 1,
      agreed: (1, "a"), .delete(from: .local)),
    Rule(
      "never: nothing is deleted", .pull, deletions: .never, local: 1, agreed: (1, "a"),
      .keep(on: .local)),
    Rule(
      "nothing happens where neither changed", .pull, local: 9, remote: (1, "a"),
      agreed: (9, "a"), .unchanged),
    Rule(
      "a remote edit comes in, though the local clock is ahead", .pull, local: 9,
      remote: (2, "b"), agreed: (9, "a"), .update(.local)),
    Rule(
      "the newer remote version wins where both changed", .pull, local: 8, remote: (9, "b"),
      agreed: (1, "a"), .update(.local)),
    Rule(
      "the newer remote version wins at first contact", .pull, local: 8, remote: (9, "b"),
      .update(.local)),
    Rule("equal stamps at first contact are agreed", .pull, local: 5, remote: (5, "a"), .adopt),
    Rule(
      "a newer local version with the same contents is agreed", .pull, local: 6,
      remote: (5, "a"), contents: .same, .adopt),
    Rule(
      "a newer local version with other contents is left alone", .pull, local: 6,
      remote: (5, "a"), contents: remoteHash, .leaveNewer(on: .local)),
    Rule(
      "equal stamps, the remote changed, contents differ: it comes in", .pull, local: 5,
      remote: (5, "b"), agreed: (4, "a"), contents: localHash, .update(.local)),
    Rule(
      "equal stamps, only the local store changed, contents differ: left alone", .pull, local: 5,
      remote: (5, "a"), agreed: (4, "a"), contents: localHash, .leaveNewer(on: .local)),
    Rule("what neither has is forgotten", .pull, agreed: (1, "a"), .forget),
  ]

  static let bothRules = [
    Rule("what is new here is appended there", .both, local: 1, .append(to: .remote)),
    Rule("what is new there is appended here", .both, remote: (1, "a"), .append(to: .local)),
    Rule(
      "an edit here beats a delete there", .both, local: 2, agreed: (1, "a"),
      .append(to: .remote)),
    Rule(
      "an edit there beats a delete here", .both, remote: (2, "b"), agreed: (1, "a"),
      .append(to: .local)),
    Rule(
      "what was deleted there and not touched here is deleted", .both, local: 1,
      agreed: (1, "a"), .delete(from: .local)),
    Rule(
      "what was deleted here and not touched there is deleted", .both, remote: (1, "a"),
      agreed: (1, "a"), .delete(from: .remote)),
    Rule(
      "never: what was deleted there is kept here", .both, deletions: .never, local: 1,
      agreed: (1, "a"), .keep(on: .local)),
    Rule(
      "never: what was deleted here is kept there", .both, deletions: .never, remote: (1, "a"),
      agreed: (1, "a"), .keep(on: .remote)),
    Rule(
      "known deletes what was agreed on", .both, deletions: .known, local: 1, agreed: (1, "a"),
      .delete(from: .local)),
    Rule(
      "nothing happens where neither changed, whatever the stamps", .both, local: 1,
      remote: (9, "a"), agreed: (1, "a"), .unchanged),
    Rule(
      "a local edit goes out, whatever the clocks say", .both, local: 2, remote: (9, "a"),
      agreed: (1, "a"), .update(.remote)),
    Rule(
      "a remote edit comes in, whatever the clocks say", .both, local: 9, remote: (2, "b"),
      agreed: (9, "a"), .update(.local)),
    Rule(
      "both changed to the same contents: agreed", .both, local: 2, remote: (9, "b"),
      agreed: (1, "a"), contents: .same, .adopt),
    Rule(
      "the same contents at first contact are agreed", .both, local: 2, remote: (9, "b"),
      contents: .same, .adopt),
    Rule(
      "equal stamps at first contact are looked at all the same", .both, local: 2,
      remote: (2, "b"), contents: remoteHash, .conflict(winner: .remote)),
    Rule(
      "newest: the greater stamp wins, here", .both, local: 9, remote: (8, "b"),
      agreed: (1, "a"), contents: remoteHash, .conflict(winner: .local)),
    Rule(
      "newest: the greater stamp wins, there", .both, local: 8, remote: (9, "b"),
      agreed: (1, "a"), contents: localHash, .conflict(winner: .remote)),
    Rule(
      "newest: a tie goes to the greater hash", .both, local: 9, remote: (9, "b"),
      agreed: (1, "a"), contents: localHash, .conflict(winner: .local)),
    Rule(
      "local: here wins, though older", .both, conflicts: .local, local: 1, remote: (9, "b"),
      contents: remoteHash, .conflict(winner: .local)),
    Rule(
      "remote: there wins, though older", .both, conflicts: .remote, local: 9, remote: (1, "b"),
      contents: localHash, .conflict(winner: .remote)),
    Rule(
      "manual: nobody wins", .both, conflicts: .manual, local: 9, remote: (1, "b"),
      contents: localHash, .conflict(winner: nil)),
    Rule(
      "merge: both win, where what was agreed is known", .both, conflicts: .merge, local: 9,
      remote: (1, "b"), agreed: (1, "a"), contents: localHash, canMerge: true,
      .conflict(winner: .merged)),
    Rule(
      "merge: the newest wins where it is not", .both, conflicts: .merge, local: 9,
      remote: (10, "b"), agreed: (1, "a"), contents: localHash, .conflict(winner: .remote)),
    Rule(
      "merge: the newest wins at first contact", .both, conflicts: .merge, local: 9,
      remote: (1, "b"), contents: localHash, canMerge: true, .conflict(winner: .local)),
    Rule(
      "merge: one side changed is no conflict", .both, conflicts: .merge, local: 9,
      remote: (1, "a"), agreed: (1, "a"), .update(.remote)),
    Rule("deleted on both: forgotten", .both, agreed: (1, "a"), .forget),
  ]
}
