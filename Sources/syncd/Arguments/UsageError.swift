/// A command line that cannot be carried out as it is written: one sentence, and where to look.
struct UsageError: Error, Equatable {
  let message: String
  let hint: String

  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  /// Points to the help of the command that was meant.
  init(_ message: String, for command: Command?) {
    self.message = message
    hint = Self.help(for: command)
  }

  static func unknownCommand(_ name: String, among commands: [Command], in parent: Command? = nil)
    -> UsageError
  {
    let shown = (parent.map { $0.path } ?? []) + [name]
    let guess = nearest(to: name, among: commands.map(\.name))
    let words = ["syncd"] + (parent?.path ?? [])
    return UsageError(
      "unknown command \"\(shown.joined(separator: " "))\"",
      hint: guess.map { "Did you mean \"\((words + [$0]).joined(separator: " "))\"?" }
        ?? help(for: parent))
  }

  static func unknownOption(_ option: String, command: Command?) -> UsageError {
    let known = command?.allOptions ?? CommandOption.global
    let guess =
      option.hasPrefix("--")
      ? nearest(to: String(option.dropFirst(2)), among: known.map(\.long)) : nil
    if let guess {
      return UsageError("unknown option \(option)", hint: "Did you mean --\(guess)?")
    }
    if command == nil,
      let owner = Command.table.first(where: { $0.options.contains { "--" + $0.long == option } })
    {
      return UsageError(
        "unknown option \(option) before a command",
        hint: "Put it after the command's name: syncd \(owner.name) \(option)")
    }
    return UsageError("unknown option \(option)", for: command)
  }

  private static func help(for command: Command?) -> String {
    command.map { "See: syncd help \($0.fullName)" } ?? "See: syncd help"
  }
}

extension UsageError {
  static func missingSubcommand(of command: Command) -> UsageError {
    let names = command.subcommands.map(\.name).joined(separator: ", ")
    return UsageError("syncd \(command.fullName) needs one of \(names)", for: command)
  }
}
