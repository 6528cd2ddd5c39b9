import SyncKit

/// Finds a smaller schedule that still fails, by leaving events out: first halves of them, then ever
/// smaller parts (Zeller's ddmin).
package struct Minimiser {
  let mutant: Mutant
  /// Worlds to try at the most.
  package var limit = 2000
  /// The rule that has to be broken still.
  private let rule: String

  /// Nil where the outcome broke no rule.
  package init?(_ outcome: Outcome, mutant: Mutant = .none) {
    guard let first = outcome.violations.first else { return nil }
    (rule, self.mutant) = (first.rule, mutant)
  }

  package func minimised(_ schedule: Schedule) -> Schedule {
    var smallest = schedule
    var tries = 0
    var parts = 2
    while smallest.events.count > 1, parts <= smallest.events.count, tries < limit {
      let size = (smallest.events.count + parts - 1) / parts
      var isSmaller = false
      for start in stride(from: 0, to: smallest.events.count, by: size) {
        tries += 1
        var candidate = smallest
        candidate.events.removeSubrange(start..<min(start + size, smallest.events.count))
        // What is left keeps its time of day.
        guard fails(candidate) else { continue }
        smallest = candidate
        isSmaller = true
        break
      }
      if isSmaller {
        parts = max(2, parts - 1)
      } else if size == 1 {
        break
      } else {
        parts = min(parts * 2, smallest.events.count)
      }
    }
    return simplified(smallest)
  }

  private func simplified(_ schedule: Schedule) -> Schedule {
    var simplest = schedule
    func attempt(_ change: (inout Schedule) -> Void) {
      var candidate = simplest
      change(&candidate)
      if candidate != simplest, fails(candidate) { simplest = candidate }
    }
    attempt { $0.setup.followers = 0 }
    attempt { $0.setup.page = 1000 }
    attempt { $0.setup.batch = 1000 }
    attempt { $0.setup.fetch = 1000 }
    attempt { $0.setup.tombstones = 1000 }
    attempt { $0.setup.concurrency = 1 }
    attempt { $0.setup.compares = false }
    attempt { $0.setup.pushers = 0 }
    attempt { $0.setup.deletions = .propagate }
    attempt { $0.setup.isFresh = true }
    attempt { $0.setup.policy = .newest }
    attempt { schedule in
      let last = schedule.events.filter { $0.device < schedule.setup.devices }.map(\.device).max()
      schedule.setup.devices = max(1, (last ?? 0) + 1)
    }
    for index in simplest.events.indices {
      attempt { $0.events[index].gap = 60_000 }
      attempt { $0.events[index].gap = 0 }
    }
    return simplest
  }

  private func fails(_ schedule: Schedule) -> Bool {
    simulate(schedule, mutant: mutant).violations.contains { $0.rule == rule }
  }
}
