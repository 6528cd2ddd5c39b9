/// The limits past which a run refuses to delete.
public struct Guards: Sendable, Equatable {
  /// Deletions on one side that are never a mass deletion.
  public var maxDeletions = 10
  /// The share of one side, from 0 to 1, past which more deletions than that are a mass deletion.
  public var maxDeletionShare = 0.5
  /// Lifts the guard against emptying a side, for one run.
  public var allowEmpty = false
  /// Lifts the guard against mass deletion, for one run.
  public var forceDelete = false

  public init() {}
}

/// A run that was refused before it wrote anything, and by which guard.
public struct Refusal: Sendable, Equatable, Error {
  public enum Guard: String, Sendable {
    /// The run would empty a side, or believes a side that looks empty.
    case emptySide
    /// The run would delete too much of a side.
    case massDeletion
  }

  public var `guard`: Guard
  /// The side that would have lost records.
  public var side: Side
  public var deletions: Int
  /// The records on that side.
  public var of: Int

  public init(guard: Guard, side: Side, deletions: Int, of: Int) {
    self.guard = `guard`
    self.side = side
    self.deletions = deletions
    self.of = of
  }
}

/// The totals of a plan that the guards look at.
public struct PlanTotals: Sendable, Equatable {
  /// One side's records, and how many of them the plan deletes.
  public struct SideTotals: Sendable, Equatable {
    public var records = 0
    public var deletions = 0
    /// Deletions that someone asked for: journalled by the local store, or a remote's tombstone.
    public var explicitDeletions = 0

    public init(records: Int = 0, deletions: Int = 0, explicitDeletions: Int = 0) {
      self.records = records
      self.deletions = deletions
      self.explicitDeletions = explicitDeletions
    }
  }

  public var local = SideTotals()
  public var remote = SideTotals()
  /// Records that the two sides once agreed on, whether or not that base can still be used.
  public var known = 0
  /// Whether the store and this remote have ever reconciled.
  public var hasSynced = false
  /// Whether another remote answers at the URL than the one that the base was made with.
  public var isReplaced = false

  public init() {}

  public subscript(side: Side) -> SideTotals { side == .local ? local : remote }
}

extension Guards {
  /// Looks at a whole plan before its first write.
  ///
  /// - Returns: nil when the plan may run.
  public func refusal(of totals: PlanTotals, direction: Direction) -> Refusal? {
    for side in Side.allCases {
      let own = totals[side]
      if !allowEmpty, let refusal = emptied(own, side: side, totals, direction) { return refusal }
      if !forceDelete, own.deletions > maxDeletions,
        Double(own.deletions) > maxDeletionShare * Double(own.records)
      {
        return Refusal(
          guard: .massDeletion, side: side, deletions: own.deletions, of: own.records)
      }
    }
    return nil
  }

  private func emptied(
    _ own: PlanTotals.SideTotals, side: Side, _ totals: PlanTotals, _ direction: Direction
  ) -> Refusal? {
    let refusal = Refusal(
      guard: .emptySide, side: side, deletions: own.deletions, of: own.records)
    if own.records == 0 {
      // An empty source that has never synced is a fresh store, not a wish to delete.
      let isNewSource = side == .local && direction == .push && !totals.hasSynced
      if isNewSource, totals.remote.records > 0 {
        return Refusal(
          guard: .emptySide, side: .remote, deletions: totals.remote.deletions,
          of: totals.remote.records)
      }
      // A remote that lost every record it was known to hold, all at once, is not believed.
      let lostAll = side == .remote && direction != .pull && totals.local.records > 0
      let limit = totals.isReplaced ? 0 : maxDeletions
      return lostAll && totals.known > limit ? refusal : nil
    }
    guard totals[side.other].records == 0, own.deletions == own.records else { return nil }
    let asked = own.explicitDeletions == own.deletions && own.deletions <= maxDeletions
    return asked ? nil : refusal
  }
}
