/// How a run reconciles.
public struct SyncOptions: Sendable, Equatable {
  public var direction: Direction
  public var deletions: DeletionPolicy
  public var conflicts: ConflictPolicy
  public var guards: Guards
  /// Whether records that were set aside are tried again although nothing changed.
  public var retriesFailed = false
  /// How long to wait for another run that holds the store.
  public var lockWait: Duration = .zero
  /// How long superseded versions are kept.
  public var historyKeep: Duration = .seconds(90 * 86_400)
  /// Records that the base has to know before comparing ranges is worth more than a listing.
  package var comparesFrom = 1000

  package var amendment: Amendment?

  public init(
    direction: Direction = .push, deletions: DeletionPolicy = .propagate,
    conflicts: ConflictPolicy = .newest, guards: Guards = Guards()
  ) {
    self.direction = direction
    self.deletions = deletions
    self.conflicts = conflicts
    self.guards = guards
  }

  package var reconciler: Reconciler {
    var reconciler = Reconciler(
      direction: direction, deletions: deletions, conflicts: conflicts)
    reconciler.amendment = amendment
    return reconciler
  }
}
