/// What a store has to say about itself, and about one remote.
public struct StoreStatus: Sendable, Equatable {
  public var path: String
  /// The store's own id.
  public var id: String
  public var projects = 0
  /// Local changes that the remote has not agreed to yet.
  public var pending = 0
  /// When the oldest of them was made.
  public var oldestPending: Timestamp?
  /// The last run's report, as JSON.
  public var lastRun: String?
  public var lastRunAt: Timestamp?
  public var lastSuccess: Timestamp?
  /// The dialect that the remote spoke.
  public var dialect: String?
  /// The least that the remote's clock was ahead of this machine's when it was last heard, below zero
  /// where it was behind; nil where it has not said.
  public var clockSkew: Duration?
  /// The ids of conflicts that wait for a decision.
  public var conflictIDs: [String] = []
  public var conflicts: Int { conflictIDs.count }
  /// Records that were left alone because of a fault of their own.
  public var setAside: [SetAside] = []
  /// Projects stamped more than a day ahead of this machine's clock.
  public var futureStamps = 0

  public init(path: String, id: String) {
    self.path = path
    self.id = id
  }

  /// What to say of clocks that are apart by so much; nil up to a minute. Beyond it, `newest` may pick
  /// the wrong version of a project that was edited in two places.
  public static func warning(ofSkew skew: Duration) -> String? {
    let seconds = skew.components.seconds
    let count = Int(abs(seconds))
    guard count >= 60 else { return nil }
    let apart =
      switch count {
      case ..<7100: counted((count + 30) / 60, "minute")
      case ..<172_000: counted((count + 1800) / 3600, "hour")
      default: counted((count + 43_200) / 86_400, "day")
      }
    return
      "this machine's clock is \(apart) \(seconds > 0 ? "behind" : "ahead of") the remote's; of two "
      + "edits the wrong one may count as the newest"
  }
}

/// A record that could not be reconciled: it is left alone until it changes or someone asks.
public struct SetAside: Sendable, Equatable {
  /// The id's text as far as it could be read, at most 255 bytes.
  public var id: String
  /// What was to be done: `append`, `update`, `delete`; `conflict` for one that waits for a decision,
  /// `fetch` for one that the remote lists and does not find.
  public var action: String
  /// The HTTP status; 0 where there was no response.
  public var status: Int
  public var message: String
  /// When this trouble was first met.
  public var since: Timestamp
  /// The version that the local store held; nil where it had none.
  public var localUpdatedAt: Timestamp?
  /// The version that the remote held; nil where it had none.
  public var remoteVersion: Version?

  public init(
    id: String, action: String, status: Int = 0, message: String, since: Timestamp,
    localUpdatedAt: Timestamp? = nil, remoteVersion: Version? = nil
  ) {
    self.id = id
    self.action = action
    self.status = status
    self.message = message
    self.since = since
    self.localUpdatedAt = localUpdatedAt
    self.remoteVersion = remoteVersion
  }

  /// The action of a conflict that waits for a decision.
  public static let conflictAction = "conflict"
  /// The actions of a conflict that somebody decided and no run has carried out yet.
  static let keepLocalAction = "keepLocal"
  static let keepRemoteAction = "keepRemote"
  /// Both, for SQL.
  static let decided = "'\(keepLocalAction)','\(keepRemoteAction)'"
  /// One that somebody has given up on, until it changes.
  static let droppedAction = "dropped"
  /// The action of a record that the remote lists and did not find: by one run while `status` is 0,
  /// by a second with 404.
  public static let fetchAction = "fetch"
  static let conflictMessage = "both sides changed; the conflict waits for a decision"
}
