import SyncKit

/// Whoever started and watches the service, spoken to by the protocol of sd_notify(3). Where nobody
/// listens, nothing is said; no failure reaches the caller.
struct ServiceManager: Sendable {
  /// Nil when nobody listens.
  private let address: NotifyAddress?
  /// How often a sign of life is expected; nil when none is.
  let watchdogInterval: Duration?
  private let uptime: @Sendable () -> Duration

  /// - Parameters:
  ///   - processID: our own; a watchdog may be meant for another process.
  ///   - uptime: the monotonic clock of the machine.
  init(
    environment: Environment, processID: Int32,
    uptime: @escaping @Sendable () -> Duration = { SystemTime().uptime }
  ) {
    address = environment["NOTIFY_SOCKET"].flatMap(NotifyAddress.init)
    watchdogInterval = Self.watchdogInterval(environment, processID)
    self.uptime = uptime
  }

  private static func watchdogInterval(_ environment: Environment, _ processID: Int32) -> Duration?
  {
    guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text),
      microseconds > 0
    else { return nil }
    if let pid = environment["WATCHDOG_PID"], Int32(pid) != processID { return nil }
    return .microseconds(microseconds)
  }

  /// The service has started, or has reloaded its configuration.
  func ready(status: String? = nil) {
    send(["READY=1"] + (status.map { [Self.line(status: $0)] } ?? []))
  }

  /// What the service does, for `systemctl status`.
  func status(_ text: String) { send([Self.line(status: text)]) }

  /// The configuration is being read again; `ready` ends it.
  func reloading() { send(["RELOADING=1", "MONOTONIC_USEC=\(uptime().wholeMicroseconds)"]) }

  func stopping() { send(["STOPPING=1"]) }

  /// A sign of life.
  func keepAlive() { send(["WATCHDOG=1"]) }

  /// Asks for so much time from now on for what is being started, reloaded or ended.
  func extendTimeout(by span: Duration) {
    send(["EXTEND_TIMEOUT_USEC=\(span.wholeMicroseconds)"])
  }

  private static func line(status: String) -> String {
    "STATUS=\(status.printable.cut(bytes: 500))"
  }

  private func send(_ lines: [String]) {
    address?.send(Array(lines.joined(separator: "\n").utf8))
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : product &+ attoseconds / 1_000_000_000_000
  }
}
