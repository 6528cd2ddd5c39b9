import Testing

@testable import syncd

@Suite("Command line")
struct ArgumentParserTests {
  private func parse(_ line: String) throws -> (String?, Arguments) {
    let result = try ArgumentParser.parse(line.split(separator: " ").map(String.init))
    return (result.command?.fullName, result.arguments)
  }

  @Test(
    "global options stand before the command, after it and between its operands",
    arguments: [
      "--json --store s.db rm a b", "rm --json a --store s.db b", "rm a b --store=s.db --json",
      "--store s.db rm a --json b",
    ])
  func globalOptionsAnywhere(line: String) throws {
    let (command, arguments) = try parse(line)
    #expect(command == "rm")
    #expect(arguments.has(.json))
    #expect(arguments[.store] == "s.db")
    #expect(arguments.operands == ["a", "b"])
  }

  @Test("short flags may be joined")
  func shortFlags() throws {
    let (_, arguments) = try parse("once -qv")
    #expect(arguments.has(.quiet))
    #expect(arguments.has(.verbose))
  }

  @Test("what follows -- is no option")
  func doubleDash() throws {
    #expect(try parse("show -- --json").1.operands == ["--json"])
  }

  @Test("the last of two equal options counts")
  func lastCounts() throws {
    #expect(try parse("list --store a --store b").1[.store] == "b")
  }

  @Test("subcommands are found below their group, with the group's options before them")
  func subcommands() throws {
    #expect(try parse("serve --store s.db token add --space x").0 == "serve token add")
    #expect(try parse("serve --listen 127.0.0.1:0").0 == "serve")
  }

  @Test("an option may be shortened as far as it is the only one")
  func abbreviations() throws {
    let (_, arguments) = try parse("once --dry --allow")
    #expect(arguments.has(Command.dryRun))
    #expect(arguments.has(Command.allowEmpty))
  }

  @Test("wrong usage is named in one sentence, with a hint", arguments: WrongUsage.all)
  func wrongUsage(usage: WrongUsage) async {
    let outcome = await syncd(usage.line.split(separator: " ").map(String.init))
    #expect(outcome.code == 2)
    #expect(outcome.err == "syncd: \(usage.message)\n\(usage.hint)\n")
    #expect(outcome.out.isEmpty)
  }

  @Test("command lines are parsed at once from several threads")
  func parallel() async throws {
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let result = try? ArgumentParser.parse(["edit", "id\(number)", "--title", "t\(number)"])
          return result?.arguments.operands == ["id\(number)"]
            && result?.arguments[.title] == "t\(number)"
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test("a text with spaces, quotes and newlines arrives as it is")
  func anyText() throws {
    let title = "a \"b\" 'c'\nd 🗓"
    #expect(try ArgumentParser.parse(["add", title]).arguments.operands == [title])
  }
}

/// A command line that is wrong, and what is said of it.
struct WrongUsage: Sendable, CustomTestStringConvertible {
  let line: String
  let message: String
  let hint: String

  var testDescription: String { line }

  static let all = [
    WrongUsage(
      line: "onec", message: "unknown command \"onec\"", hint: "Did you mean \"syncd once\"?"),
    WrongUsage(
      line: "pln", message: "unknown command \"pln\"", hint: "Did you mean \"syncd plan\"?"),
    WrongUsage(
      line: "frobnicate", message: "unknown command \"frobnicate\"", hint: "See: syncd help"),
    WrongUsage(
      line: "launch", message: "unknown command \"launch\"", hint: "See: syncd help"),
    WrongUsage(
      line: "serve tokens", message: "unknown command \"serve tokens\"",
      hint: "Did you mean \"syncd serve token\"?"),
    WrongUsage(
      line: "serve token", message: "syncd serve token needs one of add, list, revoke",
      hint: "See: syncd help serve token"),
    WrongUsage(
      line: "once --dryrun", message: "unknown option --dryrun", hint: "Did you mean --dry-run?"),
    WrongUsage(
      line: "once --frobnicate", message: "unknown option --frobnicate",
      hint: "See: syncd help once"),
    WrongUsage(
      line: "once -x", message: "unknown option -x", hint: "See: syncd help once"),
    WrongUsage(
      line: "--dry-run once", message: "unknown option --dry-run before a command",
      hint: "Put it after the command's name: syncd once --dry-run"),
    WrongUsage(
      line: "once --wait", message: "--wait needs a value", hint: "See: syncd help once"),
    WrongUsage(
      line: "once --json=yes", message: "--json takes no value", hint: "See: syncd help once"),
    WrongUsage(
      line: "once --retry 5s", message: "--retry could be --retry-for or --retry-failed",
      hint: "See: syncd help once"),
    WrongUsage(
      line: "list --color blue", message: "--color: \"blue\" is not one of auto, always, never",
      hint: "See: syncd help list"),
    WrongUsage(
      line: "completions fsh", message: "\"fsh\" is not one of bash, zsh, fish",
      hint: "Did you mean fish?"),
    WrongUsage(
      line: "once now", message: "syncd once does not take \"now\"", hint: "See: syncd help once"),
    WrongUsage(line: "show", message: "syncd show needs ID", hint: "See: syncd help show"),
    WrongUsage(line: "add", message: "syncd add needs TITLE", hint: "See: syncd help add"),
    WrongUsage(
      line: "edit x",
      message:
        "nothing to change: give --title, --body, --state, --due or --clear-due",
      hint: "See: syncd help edit"),
    WrongUsage(
      line: "edit x --due 2026 --clear-due",
      message:
        "--due and --clear-due contradict each other", hint: "See: syncd help edit"),
    WrongUsage(
      line: "once --wait soon",
      message:
        "--wait: \"soon\" is not a duration such as 30s, 15m, 2h or 90d",
      hint: "See: syncd help once"),
    WrongUsage(
      line: "serve token add", message: "syncd serve token add needs --space NAME",
      hint: "See: syncd help serve token add"),
    WrongUsage(
      line: "help nothing", message: "unknown command \"nothing\"", hint: "See: syncd help"),
    WrongUsage(
      line: "import /nonexistent/file.csv",
      message: "/nonexistent/file.csv cannot be read: No such file or directory",
      hint: "See: syncd help import"),
  ]
}
