import SyncKit

/// The environment that hooks are given: ours, without what is secret, and without what the service
/// manager says to this process alone.
enum HookVariables {
  private static let ours = [
    "SYNCD_TOKEN", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
    "LISTEN_FDNAMES", "JOURNAL_STREAM",
  ]

  /// - Parameter variables: every variable of the process, as `NAME=value`.
  static func of(
    _ configuration: Configuration, variables: [String] = ProcessEnvironment.variables
  ) -> [String] {
    var hidden = Set(ours)
    if case .environment(let name)? = configuration.remote.authorization?.secret {
      hidden.insert(name)
    }
    return variables.filter { !hidden.contains(String($0.prefix { $0 != "=" })) }.sorted()
  }
}
