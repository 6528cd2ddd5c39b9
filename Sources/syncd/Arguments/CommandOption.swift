/// One option of the command line, as help, completions, manual and parser all read it.
struct CommandOption: Sendable, Equatable {
  /// What follows an option.
  enum Argument: Sendable, Equatable {
    /// A word of its own kind, such as `ID`, that nothing can complete.
    case word(String)
    /// The path of a file, under this name.
    case file(String)
    case choice([String])

    /// How help names it.
    var name: String {
      switch self {
      case .word(let name), .file(let name): name
      case .choice(let values): values.joined(separator: "|")
      }
    }
  }

  let long: String
  let short: Character?
  /// Nil for a flag.
  let argument: Argument?
  let help: String

  init(_ long: String, short: Character? = nil, _ argument: Argument? = nil, help: String) {
    self.long = long
    self.short = short
    self.argument = argument
    self.help = help
  }

  /// `-q, --quiet` or `    --store FILE`.
  var synopsis: String {
    let flag = short.map { "-\($0), " } ?? "    "
    return flag + "--" + long + (argument.map { " " + $0.name } ?? "")
  }
}

extension CommandOption {
  static let config = CommandOption("config", .file("FILE"), help: "the configuration to use")
  static let store = CommandOption("store", .file("FILE"), help: "the local store")
  static let remote = CommandOption("remote", .word("URL"), help: "the remote collection")
  static let json = CommandOption("json", help: "print JSON")
  static let quiet = CommandOption("quiet", short: "q", help: "print nothing when all is well")
  static let verbose = CommandOption("verbose", short: "v", help: "print more of what happens")
  static let color = CommandOption(
    "color", .choice(["auto", "always", "never"]), help: "when to colour; auto: on a terminal")
  static let help = CommandOption("help", short: "h", help: "print help and exit")

  /// What every command takes, before its name and after.
  static let global = [config, store, remote, json, quiet, verbose, color, help]
}
