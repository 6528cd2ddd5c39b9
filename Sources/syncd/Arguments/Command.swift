/// One command: what it is called, takes and does. The table of these is the command line.
struct Command: Sendable {
  /// What stands on the command line beside options.
  struct Operand: Sendable {
    enum Kind: Sendable, Equatable {
      case word, file
      case choice([String])
      /// The name of a command.
      case command
    }

    let name: String
    var kind = Kind.word
    var isOptional = false
    var repeats = false

    var synopsis: String {
      let text = name + (repeats ? "…" : "")
      return isOptional ? "[\(text)]" : text
    }
  }

  struct Example: Sendable {
    let line: String
    let says: String

    init(_ line: String, _ says: String) {
      self.line = line
      self.says = says
    }
  }

  /// The words that lead to it after `syncd`: `["serve", "token", "add"]`.
  let path: [String]
  /// What it does, in a few words without a full stop.
  let summary: String
  /// What is worth knowing beside that; paragraphs are separated by an empty line.
  let details: String
  let operands: [Operand]
  let options: [CommandOption]
  let examples: [Example]
  let subcommands: [Command]
  /// Nil where only the subcommands do something.
  let run: (@Sendable (Invocation) async throws -> ExitCode)?

  init(
    _ path: String..., summary: String, details: String = "", operands: [Operand] = [],
    options: [CommandOption] = [], examples: [Example] = [], subcommands: [Command] = [],
    run: (@Sendable (Invocation) async throws -> ExitCode)? = nil
  ) {
    self.path = path
    self.summary = summary
    self.details = details
    self.operands = operands
    self.options = options
    self.examples = examples
    self.subcommands = subcommands
    self.run = run
  }

  var name: String { path.last ?? "" }
  var fullName: String { path.joined(separator: " ") }

  /// Its own options and those that every command takes; its own come first where names meet.
  var allOptions: [CommandOption] {
    options + CommandOption.global.filter { global in !options.contains { $0.long == global.long } }
  }

  /// `syncd edit ID [options]`.
  var synopsis: String {
    var words = ["syncd"] + path
    if run == nil { words.append("COMMAND") }
    words += operands.map(\.synopsis)
    words.append("[options]")
    return words.joined(separator: " ")
  }

  /// Itself and everything below it that does something.
  var runnable: [Command] {
    (run == nil ? [] : [self]) + subcommands.flatMap(\.runnable)
  }
}

extension [Command] {
  func named(_ name: String) -> Command? { first { $0.name == name } }

  /// The command that a path of words leads to.
  func at(_ path: some Collection<String>) -> Command? {
    guard let name = path.first, let command = named(name) else { return nil }
    return path.count == 1 ? command : command.subcommands.at(path.dropFirst())
  }
}
