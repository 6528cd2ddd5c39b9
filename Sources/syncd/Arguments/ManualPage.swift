import SyncKit

/// The manual page `syncd(1)` in roff, made from the table.
enum ManualPage {
  static var text: String {
    var lines = [
      ".TH SYNCD 1 \"\" \"syncd \(escaped(syncdVersion))\" \"User Commands\"",
      ".SH NAME", "syncd \\- reconcile a local store of projects with a remote HTTP store",
      ".SH SYNOPSIS", ".B syncd", ".I COMMAND", "[options]",
      ".SH DESCRIPTION", escaped(HelpText.purpose),
      "The local store is an SQLite file that works without a network;",
      "what was changed meanwhile is carried over when the remote can be reached.",
      ".SH COMMANDS",
    ]
    for command in Command.table.flatMap(\.runnable) { lines += section(command) }
    lines.append(".SH OPTIONS OF EVERY COMMAND")
    lines += items(CommandOption.global.map { ($0.synopsis, $0.help) })
    lines.append(".SH EXIT STATUS")
    lines += items(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) })
    lines.append(".SH ENVIRONMENT")
    lines += items(environment)
    lines.append(".SH FILES")
    lines += items(files)
    return lines.joined(separator: "\n")
  }

  static let environment = [
    ("SYNCD_CONFIG", "the configuration file"),
    ("SYNCD_STORE", "the local store"),
    ("SYNCD_REMOTE", "the URL of the remote collection"),
    ("SYNCD_TOKEN", "a bearer token for the remote"),
    ("NO_COLOR", "when set, nothing is coloured unless --color says so"),
  ]

  static let files = [
    ("$XDG_CONFIG_HOME/syncd/config.json5", "the user's configuration"),
    ("/etc/syncd/config.json5", "the machine's configuration, where the user has none"),
    ("~/.local/share/syncd/projects.db", "the local store, where nothing else is named"),
  ]

  private static func section(_ command: Command) -> [String] {
    var lines = [".SS \(escaped(command.synopsis))", escaped(HelpText.sentence(command.summary))]
    for paragraph in command.details.split(separator: "\n\n") {
      lines += [".PP", escaped(String(paragraph))]
    }
    lines += items(command.options.map { ($0.synopsis, $0.help) })
    for example in command.examples {
      lines += [".PP", ".EX", escaped(example.line), ".EE", escaped(example.says)]
    }
    return lines
  }

  private static func items(_ rows: [(String, String)]) -> [String] {
    rows.flatMap { name, says in
      [".TP", ".B \(escaped(name.drop { $0 == " " }.description))", escaped(says)]
    }
  }

  /// Text that roff prints as it stands: no requests, no escapes, hyphens that can be copied.
  private static func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var result = ""
      if line.hasPrefix(".") || line.hasPrefix("'") { result = "\\&" }
      for character in line {
        switch character {
        case "\\": result += "\\e"
        case "-": result += "\\-"
        case "…": result += "..."
        default: result.append(character)
        }
      }
      return result
    }.joined(separator: "\n")
  }
}
