import SyncKit

extension Configuration {
  /// The configuration of a command: flags before environment before file before defaults.
  ///
  /// - Throws: `ConfigurationError`.
  static func load(
    arguments: Arguments, environment: Environment
  ) throws(ConfigurationError) -> Configuration {
    var configuration = Configuration()
    if let file = try locate(arguments: arguments, environment: environment) {
      configuration = try read(file, environment: environment)
    }
    if let store = arguments[.store] ?? environment["SYNCD_STORE"] {
      configuration.store = environment.expand(store)
    }
    if configuration.store.isEmpty { configuration.store = defaultStore(environment) }
    if let url = arguments[.remote] ?? environment["SYNCD_REMOTE"] {
      configuration.remote.url = url
    }
    if environment["SYNCD_TOKEN"] != nil {
      configuration.remote.authorization = .bearer(.environment("SYNCD_TOKEN"))
    }
    return configuration
  }

  /// Reads one file.
  static func read(
    _ file: String, environment: Environment
  ) throws(ConfigurationError) -> Configuration {
    let text: String
    do {
      text = try FileContents.text(of: file)
    } catch {
      throw ConfigurationError(file: file, "cannot be read: \(error.reason)")
    }
    return try Configuration(
      ConfigurationValue.parse(text, file: file), file: file, environment: environment)
  }

  /// The file to read: one that was named must exist, the usual places may be empty.
  static func locate(
    arguments: Arguments, environment: Environment
  ) throws(ConfigurationError) -> String? {
    if let named = arguments[.config] ?? environment["SYNCD_CONFIG"] {
      return environment.expand(named)
    }
    return [userFile(environment), machineFile].first(where: FileContents.exists)
  }

  static func userFile(_ environment: Environment) -> String {
    environment.configHome + "/syncd/config.json5"
  }

  static let machineFile = "/etc/syncd/config.json5"

  static func defaultStore(_ environment: Environment) -> String {
    environment.dataHome + "/syncd/projects.db"
  }

  /// The URL of the remote.
  ///
  /// - Throws: `ConfigurationError` when none is given.
  func remoteURL() throws(ConfigurationError) -> String {
    guard let url = remote.url, !url.isEmpty else {
      throw ConfigurationError(
        file: file ?? "", key: "remote.url",
        "no remote is given; set it here, or with --remote URL or SYNCD_REMOTE")
    }
    return url
  }
}
