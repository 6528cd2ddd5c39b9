/// Where a secret is kept. Its text appears in no description.
public enum Secret: Sendable, CustomStringConvertible, CustomReflectable {
  case text(String)
  /// A file's first line.
  case file(String)
  /// A variable of the environment.
  case environment(String)
  /// The first line that a command prints; it has 30 seconds.
  case command([String])
  /// A credential that systemd hands to the service, by name: systemd.exec(5), `LoadCredential=`.
  case systemd(String)

  public var description: String {
    switch self {
    case .text: "a text (hidden)"
    case .file(let path): "the file \(path)"
    case .environment(let name): "the variable \(name)"
    case .command(let arguments): "the command \(arguments.first ?? "")"
    case .systemd(let name): "the systemd credential \(name)"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Whether asking again may give something new.
  var isRenewable: Bool {
    switch self {
    case .text, .environment: false
    case .file, .command, .systemd: true
    }
  }

  /// Fetches the secret.
  ///
  /// - Throws: `SyncError` with `.configuration` when there is none, or one that cannot stand in a
  ///   header.
  func reveal() async throws -> String {
    let text = try await read().trimmed
    guard !text.isEmpty else {
      throw SyncError(.configuration, "\(self) holds no credential; see remote.auth")
    }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw SyncError(
        .configuration, "the credential from \(self) holds a control character; see remote.auth")
    }
    return text
  }

  private func read() async throws -> String {
    switch self {
    case .text(let text): return text
    case .file(let path): return try firstLine(ofFile: path)
    case .environment(let name): return try variable(name)
    case .command(let arguments): return try await CredentialCommand(arguments).firstLine()
    case .systemd(let name):
      guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
        throw SyncError(.configuration, "\(self) is not a name; see remote.auth")
      }
      return try firstLine(ofFile: "\(try variable("CREDENTIALS_DIRECTORY"))/\(name)")
    }
  }

  private func variable(_ name: String) throws(SyncError) -> String {
    guard let value = ProcessEnvironment.value(of: name) else {
      throw SyncError(
        .configuration, "the variable \(name) is not set; remote.auth takes the credential from it")
    }
    return value
  }

  private func firstLine(ofFile path: String) throws(SyncError) -> String {
    guard let bytes = ProcessEnvironment.contents(ofFile: path) else {
      throw SyncError(
        .configuration, "\(path) cannot be read; remote.auth takes the credential from it")
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
