import SyncKit
import Synchronization

typealias LogLevel = Configuration.Log.Level

/// What the service says of itself: one line an entry, whole, bounded and without secrets.
final class Log: Sendable {
  /// What may be changed while the service runs.
  struct Manner: Sendable {
    var level = LogLevel.info
    var format = LogFormat.text(isColored: false)
    /// Texts that are hidden wherever they come up.
    var secrets = Redaction()
  }

  private let manner: Mutex<Manner>
  private let now: @Sendable () -> Timestamp
  private let sink: @Sendable ([UInt8]) -> Void

  /// - Parameters:
  ///   - now: the time of day.
  ///   - sink: takes a whole line with its end; never called by two at once.
  init(
    _ manner: Manner = Manner(), now: @escaping @Sendable () -> Timestamp = { .now },
    sink: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.manner = Mutex(manner)
    self.now = now
    self.sink = sink
  }

  /// Entries are written another way from now on.
  func change(to manner: Manner) { self.manner.withLock { $0 = manner } }

  func error(_ message: @autoclosure () -> String, _ fields: LogFields = [:]) {
    write(.error, message(), fields)
  }

  func warning(_ message: @autoclosure () -> String, _ fields: LogFields = [:]) {
    write(.warning, message(), fields)
  }

  func info(_ message: @autoclosure () -> String, _ fields: LogFields = [:]) {
    write(.info, message(), fields)
  }

  func debug(_ message: @autoclosure () -> String, _ fields: LogFields = [:]) {
    write(.debug, message(), fields)
  }

  /// - Parameter message: a sentence that says it all; fields are for programs.
  func write(_ level: LogLevel, _ message: @autoclosure () -> String, _ fields: LogFields = [:]) {
    manner.withLock { manner in
      guard level.rank <= manner.level.rank else { return }
      let entry = LogEntry(
        time: now(), level: level, message: manner.secrets.applied(to: message()),
        fields: fields.map { ($0.key, $0.value.hiding(manner.secrets)) })
      sink(manner.format.line(entry))
    }
  }
}

extension LogLevel {
  /// 0 for what is always said.
  var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    case .debug: 3
    }
  }
}
