import SyncKit
import Synchronization

/// Logs trouble without repeating itself.
final class TroubleLog: Sendable {
  let log: Log
  private let uptime: @Sendable () -> Duration
  private let trouble = Mutex(RepeatedTrouble())

  /// - Parameter uptime: the time since some fixed point.
  init(_ log: Log, uptime: @escaping @Sendable () -> Duration = { SystemTime().uptime }) {
    self.log = log
    self.uptime = uptime
  }

  /// Something failed, perhaps not for the first time.
  func met(
    _ kind: String, _ message: String, level: LogLevel = .warning, _ fields: LogFields = [:]
  ) {
    let now = uptime()
    switch trouble.withLock({ $0.met(kind, message, at: now) }) {
    case .first?: log.write(level, message, fields)
    case .again(let times, let span)?:
      log.write(level, "\(message) (\(times) times in \(span.rough))", fields)
    case nil: log.debug(message, fields)
    }
  }

  /// What failed works again.
  ///
  /// - Parameter message: what works, in words: `the remote can be reached again`.
  func overcame(_ kind: String, _ message: String, _ fields: LogFields = [:]) {
    let now = uptime()
    guard let recovery = trouble.withLock({ $0.overcame(kind, at: now) }) else { return }
    let attempts = "\(recovery.attempts) failed attempt\(recovery.attempts == 1 ? "" : "s")"
    log.info("\(message), after \(attempts) in \(recovery.lasted.rough)", fields)
  }
}
