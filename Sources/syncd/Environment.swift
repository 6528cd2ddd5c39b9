#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The variables and the home directory that a command line is read with.
struct Environment: Sendable {
  private let lookUp: @Sendable (String) -> String?

  /// The variables of the process.
  static let process = Environment { name in getenv(name).map { String(cString: $0) } }

  init(_ lookUp: @escaping @Sendable (String) -> String?) {
    self.lookUp = lookUp
  }

  init(variables: [String: String]) {
    self.init { variables[$0] }
  }

  /// A variable's value; one that is set to nothing counts as not set.
  subscript(name: String) -> String? {
    lookUp(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  var home: String { self["HOME"] ?? "/" }

  var configHome: String { self["XDG_CONFIG_HOME"] ?? home + "/.config" }

  var dataHome: String { self["XDG_DATA_HOME"] ?? home + "/.local/share" }

  /// The path with a leading `~` or `~/` replaced by the home directory.
  func expand(_ path: String) -> String {
    if path == "~" { return home }
    return path.hasPrefix("~/") ? home + path.dropFirst() : path
  }
}
