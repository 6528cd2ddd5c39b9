/// How a service goes about it.
public struct ServiceOptions: Sendable, Equatable {
  /// The time from one run to the next when nothing happens, give or take a tenth; at least a second.
  public var interval: Duration
  /// How long after the last local change a run starts; while changes go on, at most ten times as
  /// long after the first.
  public var debounce: Duration
  /// How long deletions wait where nothing else changed: what took them away may bring something in
  /// their place.
  public var deletionHold: Duration = .seconds(2)
  /// How long `stop` lets a run finish before it is cancelled.
  public var stopLimit: Duration = .seconds(30)
  /// Whether the remote is asked to tell what other devices change, where it can.
  public var followsRemote = true

  public init(interval: Duration = .seconds(900), debounce: Duration = .milliseconds(500)) {
    self.interval = interval
    self.debounce = debounce
  }
}
