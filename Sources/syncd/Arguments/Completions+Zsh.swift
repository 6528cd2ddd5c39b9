extension Completions {
  static var zsh: String {
    let functions = commands().filter { !$0.subcommands.isEmpty || $0.run != nil }
      .map { zshFunction($0) }
    return """
      #compdef syncd
      # zsh completion for syncd
      \(functions.joined(separator: "\n"))
      _syncd() {
      \(zshBody(CommandOption.global, subcommands: Command.table, prefix: "_syncd"))
      }
      _syncd "$@"
      """
  }

  private static func zshFunction(_ command: Command) -> String {
    let name = "_syncd_" + command.path.joined(separator: "_")
    if !command.subcommands.isEmpty {
      return """
        \(name)() {
        \(zshBody(command.allOptions, subcommands: command.subcommands, prefix: name))
        }
        """
    }
    let operands = command.operands.map { operand in
      let count = operand.repeats ? "*" : ""
      let action =
        switch operand.kind {
        case .file: "_files"
        case .choice(let choices): "(\(choices.joined(separator: " ")))"
        case .command: "(\(Command.table.map(\.name).joined(separator: " ")))"
        case .word: ""
        }
      return "'\(count):\(operand.name):\(action)'"
    }
    let specs = command.allOptions.flatMap(zshSpecs) + operands
    return """
      \(name)() {
        _arguments -s \\
          \(specs.joined(separator: " \\\n    "))
      }
      """
  }

  private static func zshBody(
    _ options: [CommandOption], subcommands: [Command], prefix: String
  ) -> String {
    let specs = options.flatMap(zshSpecs) + ["'1:command:->command'", "'*::argument:->argument'"]
    let described = subcommands.map { "'\($0.name):\(zshQuoted($0.summary))'" }
    return """
        local state line commands
        commands=(\(described.joined(separator: " ")))
        _arguments -C -s \\
          \(specs.joined(separator: " \\\n    "))
        case "$state" in
          command) _describe command commands ;;
          argument) (( $+functions[\(prefix)_$line[1]] )) && \(prefix)_$line[1] ;;
        esac
      """
  }

  private static func zshSpecs(_ option: CommandOption) -> [String] {
    let value =
      switch option.argument {
      case nil: ""
      case .file(let name)?: ":\(name):_files"
      case .word(let name)?: ":\(name):"
      case .choice(let choices)?: ":\(option.long):(\(choices.joined(separator: " ")))"
      }
    let says = "[\(zshQuoted(option.help))]"
    let long = "'--\(option.long)\(says)\(value)'"
    return option.short.map { ["'-\($0)\(says)\(value)'", long] } ?? [long]
  }

  private static func zshQuoted(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "'": result += "'\\''"
      case "[", "]", ":": result += "\\\(character)"
      default: result.append(character)
      }
    }
    return result
  }
}
