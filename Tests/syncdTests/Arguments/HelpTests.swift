import Testing

@testable import syncd

@Suite("Help")
struct HelpTests {
  @Test("the overview names every command, every global option and every exit code")
  func overview() async {
    let outcome = await syncd("help")
    #expect(outcome.code == 0)
    for command in Command.table { #expect(outcome.out.contains("\n  \(command.name) ")) }
    for option in CommandOption.global { #expect(outcome.out.contains("--\(option.long)")) }
    for code in [0, 1, 2, 3, 4, 10, 74, 75, 76, 77, 78] {
      #expect(outcome.out.contains("\n  \(code) "))
    }
  }

  @Test("no command at all prints the overview and is wrong usage")
  func nothing() async {
    let outcome = await syncd()
    #expect(outcome.code == 2)
    #expect(outcome.out.hasPrefix("syncd keeps"))
    #expect(outcome.err == "syncd: no command given\nSee: syncd help\n")
  }

  @Test("--help, -h and help print the same of every command")
  func everyCommand() async {
    for command in Completions.commands() {
      let byOption = await syncd(command.path + ["--help"])
      let byLetter = await syncd(["-h"] + command.path)
      let byCommand = await syncd(["help"] + command.path)
      #expect(byOption.code == 0)
      #expect(byOption.err.isEmpty)
      #expect(byOption.out == byLetter.out)
      #expect(byOption.out == byCommand.out)
      #expect(byOption.out.hasPrefix("usage: syncd \(command.fullName)"))
      for option in command.allOptions { #expect(byOption.out.contains("--\(option.long)")) }
    }
  }

  @Test("the help of a command as a whole")
  func whole() async {
    let outcome = await syncd("help", "rm")
    #expect(
      outcome.out == """
        usage: syncd rm ID… [options]

        Remove projects.

        Each stays in the history and can be restored: syncd restore ID.

        options of every command:
              --config FILE              the configuration to use
              --store FILE               the local store
              --remote URL               the remote collection
              --json                     print JSON
          -q, --quiet                    print nothing when all is well
          -v, --verbose                  print more of what happens
              --color auto|always|never  when to colour; auto: on a terminal
          -h, --help                     print help and exit

        exit codes:
          0   done, in sync
          1   done, but some records failed; they are kept and tried again
          2   wrong usage
          3   a safety guard refused; nothing was changed
          4   conflicts wait for a decision (conflicts: "manual")
          10  plan --exit-code: there is something to do
          74  the local store cannot be read or written, or is damaged
          75  offline, remote unavailable, or another run holds the store: nothing lost, try later
          76  the remote answered something that is not the contract
          77  the remote refused the credentials
          78  configuration error

        """)
  }

  @Test("no line of help is wider than 100 columns")
  func width() async {
    for command in Completions.commands() {
      for line in HelpText.command(command).split(separator: "\n") {
        #expect(String(line).columns <= 100, "\(line)")
      }
    }
  }

  @Test("texts of the table say what they should and no more")
  func tableTexts() {
    for command in Completions.commands() {
      #expect(!command.summary.isEmpty)
      #expect(!command.summary.hasSuffix("."))
      #expect(command.run != nil || !command.subcommands.isEmpty)
      let names = command.allOptions.map(\.long)
      #expect(Set(names).count == names.count, "\(command.fullName) has an option twice")
      for example in command.examples { #expect(example.line.contains("syncd")) }
    }
  }

  @Test(
    "the manual page has every command, option and exit code, and roff's own characters escaped")
  func manualPage() async {
    let outcome = await syncd("help", "--man")
    #expect(outcome.code == 0)
    #expect(outcome.out.hasPrefix(".TH SYNCD 1 "))
    for command in Command.table.flatMap(\.runnable) {
      #expect(outcome.out.contains(".SS syncd \(command.fullName)"))
      for option in command.options {
        let long = option.long.split(separator: "-").joined(separator: "\\-")
        #expect(outcome.out.contains("\\-\\-\(long)"))
      }
    }
    for code in ExitCode.allCases { #expect(outcome.out.contains(".B \(code.rawValue)\n")) }
    for line in outcome.out.split(separator: "\n") {
      #expect(!line.hasPrefix("'"), "\(line)")
    }
  }

  @Test("version prints the version, by every name it goes by")
  func version() async {
    let outcome = await syncd("version")
    #expect(outcome.out.hasPrefix("syncd "))
    #expect(await syncd("--version").out == outcome.out)
    #expect(await syncd("version", "--json").out.hasPrefix("{\"version\":\""))
  }
}
