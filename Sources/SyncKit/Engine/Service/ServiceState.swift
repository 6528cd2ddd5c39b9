/// What a service does now, in one word.
public enum ServiceState: String, Sendable, CaseIterable {
  /// Not started, or stopped.
  case stopped
  /// The machine has no network; the remote is tried all the same, ever more rarely.
  case offline
  /// Asking whether the remote itself answers.
  case probing
  /// All is well: waiting for a change, or for the interval to pass.
  case online
  case syncing
  /// The last attempt failed; the next comes by itself.
  case backingOff
  case paused
  /// The remote refused the credentials.
  case needsAuth
}
