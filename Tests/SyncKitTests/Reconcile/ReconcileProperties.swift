import SyncKit
import TestSupport
import Testing

/// Every direction, deletion policy and conflict policy.
private let allReconcilers: [Reconciler] = Direction.allCases.flatMap { direction in
  DeletionPolicy.allCases.flatMap { deletions in
    ConflictPolicy.allCases.map {
      Reconciler(direction: direction, deletions: deletions, conflicts: $0)
    }
  }
}

@Suite("Reconciler: what holds for any two sides")
struct ReconcileProperties {
  private static let seeds: ClosedRange<UInt64> = 1...200

  /// Calls `body` with every seed's scenario under every policy; it returns what is wrong, if
  /// anything.
  private func forEachScenario(
    versionIsStamp: Bool = false, _ body: (Scenario, Reconciler) -> String?
  ) {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let scenario = Scenario.random(using: &random, versionIsStamp: versionIsStamp)
      for reconciler in allReconcilers {
        guard let fault = body(scenario, reconciler) else { continue }
        Issue.record("\(fault), seed \(seed), \(reconciler)")
      }
    }
  }

  @Test("every id gets exactly one decision, and contents are asked for at most once")
  func total() {
    forEachScenario { scenario, reconciler in
      let plan = scenario.plan(by: reconciler)
      if Set(plan.keys) != scenario.ids { return "an id without a decision" }
      return plan.values.contains(.compareContents) ? "asked twice" : nil
    }
  }

  @Test("contents that were not asked for make no difference")
  func contentsOnlyWhereAsked() {
    let all = [
      ContentComparison.same, .different(greaterHash: .local), .different(greaterHash: .remote),
    ]
    forEachScenario { scenario, reconciler in
      scenario.ids.first { id in
        let unasked = scenario.decide(id, by: reconciler, contents: nil)
        return unasked != .compareContents
          && all.contains { scenario.decide(id, by: reconciler, contents: $0) != unasked }
      }?.string
    }
  }

  @Test("a second run writes nothing")
  func idempotent() {
    forEachScenario { scenario, reconciler in
      var after = scenario
      after.apply(scenario.plan(by: reconciler))
      let settled = after
      let second = after.plan(by: reconciler)
      if let busy = second.first(where: { !$0.value.isAtRest }) { return "\(busy)" }
      after.apply(second)
      return after == settled ? nil : "the second run changed something"
    }
  }

  @Test("push and pull write on one side only")
  func oneSided() {
    forEachScenario { scenario, reconciler in
      var after = scenario
      after.apply(scenario.plan(by: reconciler))
      return switch reconciler.direction {
      case .push: after.local == scenario.local ? nil : "push wrote here"
      case .pull: after.remote == scenario.remote ? nil : "pull wrote there"
      case .both: nil
      }
    }
  }

  @Test("in both, nothing that anyone changed is deleted")
  func changesSurvive() {
    forEachScenario { scenario, reconciler in
      guard reconciler.direction == .both else { return nil }
      for (id, decision) in scenario.plan(by: reconciler) {
        guard case .delete(let side) = decision else { continue }
        if reconciler.deletions == .never { return "\(id) was deleted under never" }
        let base = scenario.base[id]
        let isUnchanged =
          side == .local
          ? base?.localUpdatedAt == scenario.local[id]?.updatedAt
          : base?.remoteVersion == scenario.remote[id]?.version
        if base == nil || !isUnchanged { return "\(id) was deleted, though changed" }
      }
      return nil
    }
  }

  @Test("after a both run that kept nothing and left no conflict, what it touched is the same")
  func converges() {
    forEachScenario { scenario, reconciler in
      guard reconciler.direction == .both, reconciler.deletions != .never,
        reconciler.conflicts != .manual
      else { return nil }
      let plan = scenario.plan(by: reconciler)
      var after = scenario
      after.apply(plan)
      return plan.first { id, decision in
        decision != .unchanged && after.local[id]?.hash != after.remote[id]?.hash
      }.map { "\($0)" }
    }
  }

  @Test("both is symmetric: the sides exchanged, the plan exchanged")
  func symmetric() { checkMirror(of: .both) }

  @Test("pull is push with the sides exchanged")
  func pullMirrorsPush() { checkMirror(of: .push) }

  private func checkMirror(of direction: Direction) {
    forEachScenario(versionIsStamp: true) { scenario, reconciler in
      guard reconciler.direction == direction else { return nil }
      let plan = scenario.plan(by: reconciler).mapValues(\.mirrored)
      return scenario.mirrored.plan(by: reconciler.mirrored) == plan ? nil : "not mirrored"
    }
  }
}

extension Decision {
  /// Whether it writes nothing, neither a record nor the base.
  fileprivate var isAtRest: Bool {
    switch self {
    case .unchanged, .keep, .leaveNewer, .conflict(winner: nil): true
    default: false
    }
  }

  /// The same decision with the sides exchanged.
  fileprivate var mirrored: Decision {
    switch self {
    case .append(let side): .append(to: side.other)
    case .update(let side): .update(side.other)
    case .delete(let side): .delete(from: side.other)
    case .keep(let side): .keep(on: side.other)
    case .leaveNewer(let side): .leaveNewer(on: side.other)
    case .conflict(.local): .conflict(winner: .remote)
    case .conflict(.remote): .conflict(winner: .local)
    case .conflict: self
    case .unchanged, .adopt, .forget, .compareContents: self
    }
  }
}

extension Reconciler {
  fileprivate var mirrored: Reconciler {
    var mirrored = self
    switch direction {
    case .push: mirrored.direction = .pull
    case .pull: mirrored.direction = .push
    case .both: break
    }
    switch conflicts {
    case .local: mirrored.conflicts = .remote
    case .remote: mirrored.conflicts = .local
    case .newest, .manual, .merge: break
    }
    return mirrored
  }
}
