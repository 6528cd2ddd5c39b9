/// What a run would do, id by id, before it does anything.
public struct SyncPlan: Sendable, Equatable {
  /// The ids to be written on one side.
  public struct Changes: Sendable, Equatable {
    public var append: [ProjectID] = []
    public var update: [ProjectID] = []
    public var delete: [ProjectID] = []

    public init() {}

    public var isEmpty: Bool { append.isEmpty && update.isEmpty && delete.isEmpty }
  }

  public struct Conflict: Sendable, Equatable {
    public var id: ProjectID
    /// Nil where the conflict waits for a decision.
    public var winner: ConflictWinner?

    public init(id: ProjectID, winner: ConflictWinner?) {
      self.id = id
      self.winner = winner
    }
  }

  public var direction: Direction
  /// The guard that would refuse this plan.
  public var refused: Refusal?
  public var unchanged = 0
  public var remote = Changes()
  public var local = Changes()
  public var adopt: [ProjectID] = []
  public var remoteNewer: [ProjectID] = []
  public var localNewer: [ProjectID] = []
  /// Records that the deletion policy keeps, on either side.
  public var kept: [ProjectID] = []
  public var conflicts: [Conflict] = []
  /// Records that are left alone because of a fault of their own, and why.
  public var setAside: [UnreadableRecord] = []

  public init(direction: Direction) {
    self.direction = direction
  }

  /// Whether a run would write anything on either side. A conflict that waits is none of its work.
  public var hasWork: Bool {
    !remote.isEmpty || !local.isEmpty || conflicts.contains { $0.winner != nil }
  }
}
