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

  // MARK: bash

  private static var bash: String {
    var cases: [String] = []
    for command in commands() {
      cases.append("    \"\(command.fullName)\") words=\"\(candidates(of: command))\" ;;")
    }
    var values: [String] = []
    for (long, argument) in arguments {
      switch argument {
      case .file: values.append("    --\(long)) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;")
      case .choice(let choices):
        let list = choices.joined(separator: " ")
        values.append(
          "    --\(long)) COMPREPLY=($(compgen -W \"\(list)\" -- \"$cur\")); return ;;")
      case .word: values.append("    --\(long)) return ;;")
      }
    }
    let takingValues = arguments.map { "--" + $0.0 }.joined(separator: "|")
    let top = Command.table.map(\.name).joined(separator: " ")
    let groups = commands().map { "\"\($0.fullName)\"" }.joined(separator: "|")
    return """
      # bash completion for syncd
      _syncd() {
        local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
        local path="" word words skip="" i
        case "$prev" in
      \(values.joined(separator: "\n"))
        esac
        for ((i = 1; i < COMP_CWORD; i++)); do
          word="${COMP_WORDS[i]}"
          if [[ -n "$skip" ]]; then skip=""; continue; fi
          case "$word" in
            \(takingValues)) skip=1; continue ;;
            -*) continue ;;
          esac
          case "${path:+$path }$word" in
            \(groups)) path="${path:+$path }$word" ;;
          esac
        done
        case "$path" in
          "") words="\(top) \(flags(CommandOption.global))" ;;
      \(cases.joined(separator: "\n"))
        esac
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
        if [[ "$cur" != -* ]]; then
          case "$path" in
            \(fileCommands)) COMPREPLY+=($(compgen -f -- "$cur")) ;;
          esac
        fi
      }
      complete -o filenames -F _syncd syncd
      """
  }

  private static func candidates(of command: Command) -> String {
    (words(of: command) + [flags(command.allOptions)]).joined(separator: " ")
  }

  /// What may stand in the place of a command's operands.
  private static func words(of command: Command) -> [String] {
    command.subcommands.map(\.name)
      + command.operands.flatMap { operand -> [String] in
        switch operand.kind {
        case .choice(let choices): choices
        case .command: Command.table.map(\.name)
        case .word, .file: []
        }
      }
  }

  private static func flags(_ options: [CommandOption]) -> String {
    options.map { "--" + $0.long }.joined(separator: " ")
  }

  private static var fileCommands: String {
    commands().filter { $0.operands.contains { $0.kind == .file } }
      .map { "\"\($0.fullName)\"" }.joined(separator: "|")
  }

  /// Every option that takes a value, once.
  private static var arguments: [(String, CommandOption.Argument)] {
    var seen: Set<String> = []
    return (CommandOption.global + commands().flatMap(\.options)).compactMap { option in
      guard let argument = option.argument, seen.insert(option.long).inserted else { return nil }
      return (option.long, argument)
    }
  }

  // MARK: zsh

  private static var zsh: String {
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
      let action = switch operand.kind {
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
    let value = switch option.argument {
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

  // MARK: fish

  private static var fish: String {
    var lines = ["# fish completion for syncd", "complete -c syncd -f"]
    let top = Command.table.map(\.name).joined(separator: " ")
    for command in Command.table {
      lines.append(
        "complete -c syncd -n 'not __fish_seen_subcommand_from \(top)' -a \(command.name)"
          + " -d \(fishQuoted(command.summary))")
    }
    lines += CommandOption.global.map { fishOption($0, condition: nil) }
    for command in commands() {
      let condition = command.path.map { "__fish_seen_subcommand_from \($0)" }
        .joined(separator: "; and ")
      lines += command.options.map { fishOption($0, condition: condition) }
      let words = words(of: command)
      if !words.isEmpty {
        lines.append(
          "complete -c syncd -n '\(condition)' -a \(fishQuoted(words.joined(separator: " ")))")
      }
      if command.operands.contains(where: { $0.kind == .file }) {
        lines.append("complete -c syncd -n '\(condition)' -F")
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func fishOption(_ option: CommandOption, condition: String?) -> String {
    var line = "complete -c syncd"
    if let condition { line += " -n '\(condition)'" }
    if let short = option.short { line += " -s \(short)" }
    line += " -l \(option.long)"
    switch option.argument {
    case nil: break
    case .file?: line += " -r -F"
    case .word?: line += " -x"
    case .choice(let choices)?: line += " -x -a \(fishQuoted(choices.joined(separator: " ")))"
    }
    return line + " -d \(fishQuoted(option.help))"
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
  }
}
