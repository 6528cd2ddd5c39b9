import SyncKit

extension Configuration {
  /// Reads the value of a whole file.
  ///
  /// - Throws: `ConfigurationError` with every fault there is.
  init(
    _ value: ConfigurationValue, file: String, environment: Environment
  ) throws(ConfigurationError) {
    let faults = ConfigurationReader.Faults(file: file)
    var reader = ConfigurationReader(value, faults: faults)
    self.file = file
    if let store = reader.string("store") { self.store = environment.expand(store) }
    if let section = reader.section("remote") { remote.read(section, environment) }
    direction = reader.choice("direction", of: Direction.self) ?? direction
    deletions = reader.choice("deletions", of: DeletionPolicy.self) ?? deletions
    conflicts = reader.choice("conflicts", of: ConflictPolicy.self) ?? conflicts
    if let section = reader.section("guards") { guards.read(section) }
    if let section = reader.section("service") { service.read(section, environment) }
    if let section = reader.section("hooks") { hooks.read(section, environment) }
    if var section = reader.section("history") {
      historyKeep = section.duration("keep") ?? historyKeep
      section.finish()
    }
    if let section = reader.section("log") { log.read(section) }
    reader.finish()
    if !faults.all.isEmpty { throw ConfigurationError(faults.all) }
  }
}

extension Guards {
  fileprivate mutating func read(_ section: ConfigurationReader) {
    var reader = section
    maxDeletions = reader.integer("maxDeletions", in: 0...1_000_000_000) ?? maxDeletions
    maxDeletionShare = reader.number("maxDeletionShare", in: 0...1) ?? maxDeletionShare
    for (key, flag) in [("allowEmpty", "--allow-empty"), ("forceDelete", "--force-delete")]
    where reader.value(key) != nil {
      reader.fault(key, "a guard is lifted for one run only: syncd once \(flag)")
    }
    reader.finish()
  }
}

extension Configuration.Service {
  fileprivate mutating func read(_ section: ConfigurationReader, _ environment: Environment) {
    var reader = section
    interval = reader.duration("interval") ?? interval
    debounce = reader.duration("debounce") ?? debounce
    socket = reader.string("socket").map(environment.expand)
    http = reader.string("http")
    reader.finish()
  }
}

extension Configuration.Hooks {
  fileprivate mutating func read(_ section: ConfigurationReader, _ environment: Environment) {
    var reader = section
    for kind in HookKind.allCases {
      guard let words = reader.command(kind.key, environment) else { continue }
      if words[0].hasPrefix("/") || !words[0].contains("/") {
        commands[kind] = words
      } else {
        reader.fault(kind.key, "hooks run in /; give the whole path of \"\(words[0])\"")
      }
    }
    if let timeout = reader.duration("timeout") {
      if timeout > .zero { self.timeout = timeout } else { reader.fault("timeout", "is no time") }
    }
    reader.finish()
  }
}

extension Configuration.Log {
  fileprivate mutating func read(_ section: ConfigurationReader) {
    var reader = section
    level = reader.choice("level", of: Level.self) ?? level
    format = reader.choice("format", of: Format.self) ?? format
    reader.finish()
  }
}
