import SyncKit

/// What others may ask of the running service. Any number may ask at once.
protocol ServiceControl: Sendable {
  /// The object that `status --json` prints.
  ///
  /// - Throws: `SyncError` when the store cannot be read.
  func status() async throws -> JSONText

  /// What is measured at the moment it is asked.
  ///
  /// - Throws: `SyncError` when the store cannot be read.
  func gauges() async throws -> ServiceGauges

  /// Asks for a run, and returns at once.
  func requestSync(retryFailed: Bool) async

  /// Asks for a run, and waits for the one that answers.
  ///
  /// - Throws: `CancellationError` when the service stops, or the one who asks gives up.
  func synchronize(retryFailed: Bool) async throws -> SyncReport

  /// Starts no run by itself any more.
  ///
  /// - Parameter duration: how long; nil until someone resumes it.
  /// - Returns: when it resumes by itself.
  func pause(for duration: Duration?) async -> Timestamp?

  /// - Returns: the state that the service is in then.
  func resume() async -> String

  /// The records that were left alone because of a fault of their own.
  func setAside() async throws -> [SetAside]

  /// Has a record that was set aside tried again by a run that starts at once.
  ///
  /// - Returns: whether it was set aside.
  func retrySetAside(_ id: String) async throws -> Bool

  /// Forgets the fault; the local record stays, and is not tried again until it changes.
  ///
  /// - Returns: whether it was set aside.
  func dropSetAside(_ id: String) async throws -> Bool

  /// What happens from now on.
  func events() -> AsyncStream<ControlEvent>
}

/// What a service measures of itself.
struct ServiceGauges: Sendable, Equatable {
  /// Every state there is; `state` is one of them.
  static let states = [
    "stopped", "offline", "probing", "online", "syncing", "backingOff", "paused", "needsAuth",
  ]

  var state: String
  /// Local changes that the remote has not agreed to yet.
  var pending: Int
  var setAside: Int
  var lastSuccess: Timestamp?
  var startedAt: Timestamp
  /// The time between two runs that nobody asks for.
  var interval: Duration
}

/// Something that happened in the service.
enum ControlEvent: Sendable, Equatable {
  case state(String)
  /// Nil where somebody has to resume it.
  case paused(until: Timestamp?)
  case run(SyncEvent)
}
