/// What happens in a service, as it happens.
public enum ServiceEvent: Sendable, Equatable {
  case state(ServiceState)
  /// What happens in a run; it ends with `finished`, or with nothing when it is cancelled.
  case run(SyncEvent)
  /// An attempt failed; the next comes by itself.
  case waiting(until: Timestamp, reason: String)
  /// Nil: until somebody resumes.
  case paused(until: Timestamp?)
  case network(isUp: Bool)
  /// The file at the store's path is another than was opened; a store that is opened again, by
  /// `reload`, sees it.
  case storeReplaced
}

/// How a service stands at one moment.
public struct ServiceSnapshot: Sendable, Equatable {
  public var state: ServiceState
  /// Since when it has been in this state.
  public var since: Timestamp
  /// When it next tries by itself; nil while it is at it, is paused or is stopped.
  public var nextAttempt: Timestamp?
  /// Why the last attempt failed, and what to do; empty when it went well.
  public var reason: String
  /// Nil: until somebody resumes, or not paused.
  public var pausedUntil: Timestamp?
  public var lastReport: SyncReport?
  /// When the last run ended.
  public var lastRun: Timestamp?
  /// When both sides were last found or made equal; known from before the service started as well.
  public var lastSuccess: Timestamp?
  /// Runs that ended since the service started.
  public var runs: Int
  /// Whether the machine has a network; nil where it has not said.
  public var isNetworkUp: Bool?
  /// Whether the remote is followed.
  public var isListening: Bool
}
