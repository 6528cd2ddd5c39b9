extension Completions {
  static var fish: String {
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
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
      + "'"
  }
}
