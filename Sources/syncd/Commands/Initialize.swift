import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  static let initialize = Command(
    "init", summary: "write a commented configuration and create the store",
    details: """
      Writes the configuration to --config, or to the user's own place, readable by nobody else, \
      and makes an empty store. A configuration that is there already is left alone.
      """,
    examples: [
      Example(
        "syncd init --remote https://api.example.com/v1/projects",
        "a configuration for this remote, and a store in the usual place")
    ],
    run: { try await Initialize(invocation: $0).run() })
}

private struct Initialize {
  let invocation: Invocation

  func run() async throws -> ExitCode {
    let environment = invocation.environment
    let arguments = invocation.arguments
    let named = arguments[.config] ?? environment["SYNCD_CONFIG"]
    let file = named.map(environment.expand) ?? Configuration.userFile(environment)
    let store = arguments[.store] ?? environment["SYNCD_STORE"]
    let remote = arguments[.remote] ?? environment["SYNCD_REMOTE"]
    let storePath = store.map(environment.expand) ?? Configuration.defaultStore(environment)
    if FileContents.exists(file) { throw exists(file) }

    let opened = try LocalStore(path: storePath)
    do {
      try FileContents.create(
        file,
        text: ConfigurationTemplate.text(store: FileContents.absolute(storePath), remote: remote))
    } catch {
      if error.code == EEXIST { throw exists(file) }
      throw ConfigurationError(file: file, "cannot be written: \(error.reason)")
    }

    if invocation.printsJSON {
      let json = JSONText.object([
        "config": .string(file), "store": .string(opened.path),
      ])
      try invocation.console.print(json.description)
    } else if !invocation.console.isQuiet {
      try invocation.console.print("wrote \(file)\nthe store is \(opened.path)")
      if remote == nil {
        try invocation.console.print("next: set remote.url in \(file), then run: syncd check")
      }
    }
    return .success
  }

  private func exists(_ file: String) -> ConfigurationError {
    ConfigurationError(
      file: file, "is there already and was left alone; remove it first, or name another: --config")
  }
}
