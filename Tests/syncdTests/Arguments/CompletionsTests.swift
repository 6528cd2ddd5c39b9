import Testing

@testable import syncd

@Suite("Completions")
struct CompletionsTests {
  @Test(
    "every shell's script knows every command and option", arguments: Completions.Shell.allCases)
  func complete(shell: Completions.Shell) async {
    let outcome = await syncd("completions", shell.rawValue)
    #expect(outcome.code == 0)
    for command in Completions.commands() {
      #expect(outcome.out.contains(command.name), "\(command.fullName)")
      for option in command.options { #expect(outcome.out.contains(option.long)) }
    }
  }

  @Test("quotes and brackets in a help text do not end a zsh or fish string")
  func quoting() {
    for line in Completions.script(for: .zsh).split(separator: "\n") {
      let bare = line.split(separator: "'\\''").joined()
      #expect(bare.count { $0 == "'" } % 2 == 0, "\(line)")
    }
    for line in Completions.script(for: .fish).split(separator: "\n") {
      let bare = line.split(separator: "\\'").joined()
      #expect(bare.count { $0 == "'" } % 2 == 0, "\(line)")
    }
  }
}
