/// The texts of `--help`, made from the table.
enum HelpText {
  static let purpose =
    "syncd keeps a local store of projects and a remote HTTP store reconciled."

  static var overview: String {
    let commands = Command.table.map { ($0.name, $0.summary) }
    return [
      purpose,
      "usage: syncd COMMAND [options]",
      section("commands", commands),
      section("options of every command", CommandOption.global.map { ($0.synopsis, $0.help) }),
      exitCodes,
      "See: syncd help COMMAND",
    ].joined(separator: "\n\n")
  }

  static func command(_ command: Command) -> String {
    var parts = ["usage: " + command.synopsis, sentence(command.summary)]
    if !command.details.isEmpty { parts.append(wrapped(command.details)) }
    if !command.subcommands.isEmpty {
      parts.append(section("commands", command.subcommands.map { ($0.name, $0.summary) }))
    }
    if !command.options.isEmpty {
      parts.append(section("options", command.options.map { ($0.synopsis, $0.help) }))
    }
    let others = command.allOptions.dropFirst(command.options.count)
    parts.append(section("options of every command", others.map { ($0.synopsis, $0.help) }))
    if !command.examples.isEmpty {
      parts.append(section("examples", command.examples.map { ($0.line, $0.says) }))
    }
    parts.append(exitCodes)
    return parts.joined(separator: "\n\n")
  }

  static var exitCodes: String {
    section("exit codes", ExitCode.allCases.map { (String($0.rawValue), $0.meaning) })
  }

  /// The first letter raised and a full stop at the end.
  static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  private static func section(_ title: String, _ rows: [(String, String)]) -> String {
    let width = min(30, rows.map(\.0.columns).max() ?? 0)
    let lines = rows.map { name, says in
      name.columns <= width
        ? "  \(name.padded(to: width))  \(says)"
        : "  \(name)\n  \("".padded(to: width))  \(says)"
    }
    return ([title + ":"] + lines).joined(separator: "\n")
  }

  /// Paragraphs in lines of at most 78 columns.
  static func wrapped(_ text: String) -> String {
    text.split(separator: "\n\n").map { paragraph in
      var lines = [""]
      for word in paragraph.split(whereSeparator: \.isWhitespace) {
        if let last = lines.last, !last.isEmpty, last.columns + 1 + String(word).columns > 78 {
          lines.append(String(word))
        } else {
          lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
