extension Completions {
  static var bash: String {
    var cases: [String] = []
    for command in commands() {
      cases.append(
        "    \"\(command.fullName)\") words=\"\(words(of: command).joined(separator: " "))\""
          + " flags=\"\(flags(command.allOptions))\" ;;")
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
        local path="" word words="" flags="" skip="" i
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
          "") words="\(top)" flags="\(flags(CommandOption.global))" ;;
      \(cases.joined(separator: "\n"))
        esac
        if [[ "$cur" == -* ]]; then
          COMPREPLY=($(compgen -W "$flags" -- "$cur"))
        else
          COMPREPLY=($(compgen -W "$words" -- "$cur"))
          case "$path" in
            \(fileCommands)) COMPREPLY+=($(compgen -f -- "$cur")) ;;
          esac
        fi
      }
      complete -o filenames -F _syncd syncd
      """
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

  private static func flags(_ options: [CommandOption]) -> String {
    options.map { "--" + $0.long }.joined(separator: " ")
  }
}
