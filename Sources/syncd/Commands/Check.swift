import SyncKit
import Synchronization

extension Command {
  fileprivate static let writes = CommandOption(
    "write", help: "write records to the remote to see what it makes of them, and delete them again"
  )

  static let check = Command(
    "check", summary: "look at the configuration, the store and the remote for faults",
    details: """
      Changes nothing, but for --write. One line for each finding, with the remedy; the exit code is \
      that of the first fault, and 0 when there is none.
      """,
    options: [writes],
    examples: [
      Example("syncd check --write", "what a remote holds, before it is relied on")
    ],
    run: { invocation in
      var check = Check(invocation: invocation)
      try await check.run()
      return try check.conclude()
    })
}

/// One thing that was looked at.
struct Finding: Sendable, Equatable {
  enum Level: String, Sendable { case ok, warning, fault }

  var level: Level
  /// `config`, `permissions`, `store`, `remote`, `credentials`, `contract`, `writes`, `offers`, `clock`.
  var area: String
  var message: String
  /// What to do about it; empty when there is nothing to do.
  var remedy = ""
  /// The exit code that a fault ends with.
  var code = ExitCode.success

  var json: JSONText {
    .object([
      "level": .string(level.rawValue), "area": .string(area), "message": .string(message),
      "remedy": .string(remedy),
    ])
  }
}

private struct Check {
  let invocation: Invocation
  private(set) var findings: [Finding] = []

  init(invocation: Invocation) { self.invocation = invocation }

  mutating func run() async throws {
    let configuration: Configuration
    do {
      configuration = try invocation.configuration()
    } catch let error as ConfigurationError {
      findings += error.faults.map { fault in
        Finding(
          level: .fault, area: "config", message: fault.description,
          remedy: "see docs/configuration.md", code: .configuration)
      }
      return
    }
    let source = configuration.file ?? "no file; flags, variables and defaults"
    findings.append(Finding(level: .ok, area: "config", message: source))
    findings += Permissions.findings(configuration)
    await checkStore(configuration.store)
    try await checkRemote(configuration)
  }

  private mutating func checkStore(_ path: String) async {
    guard FileContents.exists(path) else {
      findings.append(
        Finding(
          level: .warning, area: "store", message: "there is none at \(path) yet",
          remedy: "syncd init makes it; if there should be one, correct the key store"))
      return
    }
    do {
      let store = try LocalStore(path: path, access: .readOnly)
      try await store.check()
      let count = try await store.count()
      findings.append(
        Finding(
          level: .ok, area: "store", message: "\(path): sound, \(counted(count, "project"))"))
    } catch {
      findings.append(
        Finding(
          level: .fault, area: "store", message: "\(error)",
          remedy: "keep the file, put a copy back in its place, then run syncd plan",
          code: ExitCode(for: error)))
    }
  }

  private mutating func checkRemote(_ configuration: Configuration) async throws {
    let tally = Tally()
    do {
      let remote = try await configuration.makeRemote(
        retryFor: configuration.remote.retryFor ?? .seconds(2))
      let listing = try await Signals.cancelling {
        try await remote.list(since: nil) { records in tally.take(records) }
      }
      findings.append(
        Finding(
          level: .ok, area: "remote",
          message: "\(remote.url): reachable, dialect \(listing.dialect)"))
      findings.append(
        Finding(
          level: .ok, area: "credentials",
          message: configuration.remote.authorization == nil
            ? "none are configured, and none were asked for" : "accepted"))
      findings.append(contract(tally))
      if invocation.arguments.has(Command.writes) {
        let found = try await Signals.cancelling { try await WriteProbe.run(on: remote) }
        findings += found.map(Finding.init)
        try await remember(found, of: remote, configuration)
      } else if let known = try await findingsKnown(of: remote, configuration) {
        findings.append(known)
      }
      let facts = try await remote.facts()
      if !facts.isEmpty {
        findings.append(
          Finding(level: .ok, area: "offers", message: facts.joined(separator: "; ")))
      }
      if let warning = remote.clockSkew.flatMap({ StoreStatus.warning(ofSkew: $0.least) }) {
        findings.append(
          Finding(
            level: .warning, area: "clock", message: warning,
            remedy: "timedatectl set-ntp true, on the machine that is wrong"))
      }
    } catch let error as ConfigurationError {
      let text = error.description
      findings.append(
        Finding(
          level: .fault, area: "remote", message: text, remedy: "set remote.url",
          code: .configuration))
    } catch let error as SyncError {
      findings.append(Finding(error))
    }
  }

  /// Keeps what was found, where there is a store to keep it in.
  private func remember(
    _ found: [WriteProbe.Finding], of remote: any RemoteStore, _ configuration: Configuration
  ) async throws {
    guard FileContents.exists(configuration.store) else { return }
    let store = try LocalStore(path: configuration.store)
    try await store.note(
      found.map { RemoteCapabilities.Finding(kind: $0.kind.rawValue, message: $0.message) },
      server: await remote.server, remote: remote.identity, at: .now)
  }

  /// What `check --write` found before, while the server is the one that it was found of.
  private func findingsKnown(
    of remote: any RemoteStore, _ configuration: Configuration
  ) async throws -> Finding? {
    guard FileContents.exists(configuration.store),
      let store = try? LocalStore(path: configuration.store, access: .readOnly),
      let known = try? await store.capabilities(remote: remote.identity), let at = known.foundAt
    else { return nil }
    let server = await remote.server
    guard server == nil || server == known.server else {
      return Finding(
        level: .warning, area: "writes",
        message: "what was found is true of \(known.server ?? "another server"), not of "
          + (server ?? "this one"),
        remedy: "syncd check --write")
    }
    let limits = known.findings.filter { $0.kind != WriteProbe.Finding.Kind.sound.rawValue }
    let words =
      limits.isEmpty ? "everything held" : limits.map(\.message).joined(separator: "; ")
    return Finding(
      level: limits.isEmpty ? .ok : .warning, area: "writes",
      message: "\(at.described(at: .now)): \(words)",
      remedy: limits.isEmpty ? "" : "see docs/remotes")
  }

  private func contract(_ tally: Tally) -> Finding {
    let (count, unreadable) = tally.counts
    if let first = unreadable.first {
      return Finding(
        level: .warning, area: "contract",
        message:
          "\(unreadable.count) of \(count) listed records cannot be read; the first: \(first)",
        remedy: "mend them on the remote, or see remote.fields; the others are reconciled")
    }
    return Finding(
      level: .ok, area: "contract", message: "the list is whole: \(counted(count, "record"))")
  }

  func conclude() throws -> ExitCode {
    let console = invocation.console
    if invocation.printsJSON {
      try console.print(
        JSONText.object(["findings": .array(findings.map(\.json))]).description)
    } else {
      for finding in findings where !(console.isQuiet && finding.level == .ok) {
        try console.print(finding.line(console))
      }
    }
    return findings.first { $0.level == .fault }?.code ?? .success
  }

  /// What a listing handed over, counted.
  private final class Tally: Sendable {
    private let state = Mutex((count: 0, unreadable: [String]()))

    var counts: (Int, [String]) { state.withLock { ($0.count, $0.unreadable) } }

    func take(_ records: [ListedRecord]) {
      state.withLock { state in
        state.count += records.count
        for case .unreadable(let record) in records where state.unreadable.count < 1000 {
          state.unreadable.append(record.description)
        }
      }
    }
  }
}

extension Finding {
  fileprivate init(_ finding: WriteProbe.Finding) {
    let level: Level =
      switch finding.kind {
      case .sound: .ok
      case .limit: .warning
      case .fault: .fault
      }
    self.init(
      level: level, area: "writes", message: finding.message,
      remedy: level == .ok ? "" : "see docs/remotes", code: .protocolViolation)
  }

  fileprivate init(_ error: SyncError) {
    let (area, remedy) =
      switch error.code {
      case .unauthorized: ("credentials", "see remote.auth, or SYNCD_TOKEN")
      case .protocolViolation: ("contract", "see remote.url and remote.dialect")
      case .configuration: ("config", "see docs/configuration.md")
      default: ("remote", "see remote.url, or wait until it can be reached")
      }
    self.init(
      level: .fault, area: area, message: error.message, remedy: remedy, code: ExitCode(error.code))
  }

  fileprivate func line(_ console: Console) -> String {
    let style: TextStyle =
      switch level {
      case .ok: .green
      case .warning: .yellow
      case .fault: .red
      }
    let start = console.styled(level.rawValue.padded(to: 7), style) + " " + area.padded(to: 12)
    return start + message.printable + (remedy.isEmpty ? "" : " → " + remedy)
  }
}

/// Looks at who else may read what should be one's own.
enum Permissions {
  static func findings(_ configuration: Configuration) -> [Finding] {
    var found: [Finding] = []
    for (path, what) in secrets(configuration) {
      guard let mode = FileContents.mode(of: path), mode & 0o044 != 0 else { continue }
      let who = mode & 0o004 != 0 ? "everyone" : "its group"
      found.append(
        Finding(
          level: mode & 0o004 != 0 ? .fault : .warning, area: "permissions",
          message: "\(path) holds \(what) and can be read by \(who)",
          remedy: "chmod 600 \(path)", code: .configuration))
    }
    if let mode = FileContents.mode(of: configuration.store), mode & 0o006 != 0 {
      found.append(
        Finding(
          level: .warning, area: "permissions",
          message: "\(configuration.store) can be read by everyone",
          remedy: "chmod 600 \(configuration.store)"))
    }
    if found.isEmpty {
      found = [
        Finding(level: .ok, area: "permissions", message: "secrets are readable by nobody else")
      ]
    }
    return found
  }

  /// Files that hold something secret, and what it is.
  private static func secrets(_ configuration: Configuration) -> [(String, String)] {
    var files: [(String, String)] = []
    switch configuration.remote.authorization?.secret {
    case .text?: if let file = configuration.file { files.append((file, "a credential")) }
    case .file(let path)?: files.append((path, "a credential"))
    default: break
    }
    if let key = configuration.remote.tls.key { files.append((key, "a private key")) }
    return files
  }
}
