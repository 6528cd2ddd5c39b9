/// The scripts that let a shell complete command lines, made from the table.
enum Completions {
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  static func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// Every command and subcommand, the groups before what they hold.
  static func commands(_ table: [Command] = Command.table) -> [Command] {
    table.flatMap { [$0] + commands($0.subcommands) }
  }

  /// What may stand in the place of a command's operands.
  static func words(of command: Command) -> [String] {
    command.subcommands.map(\.name)
      + command.operands.flatMap { operand -> [String] in
        switch operand.kind {
        case .choice(let choices): choices
        case .command: Command.table.map(\.name)
        case .word, .file: []
        }
      }
  }
}
