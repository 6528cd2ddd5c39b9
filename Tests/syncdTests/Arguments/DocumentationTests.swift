import Testing

@testable import syncd

@Suite("The manual in docs/")
struct DocumentationTests {
  private func page(_ name: String) throws -> String {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    return try FileContents.text(of: "\(root)/docs/\(name)")
  }

  @Test("has every command with every option")
  func commands() throws {
    let text = try page("commands.md")
    for command in Command.table {
      #expect(text.contains("### `syncd \(command.name)"), "\(command.name)")
    }
    for command in Completions.commands() {
      for option in command.options {
        #expect(text.contains("--\(option.long)"), "\(command.fullName) --\(option.long)")
      }
    }
  }

  @Test("has every exit code with its meaning")
  func exitCodes() throws {
    let text = try page("exit-codes.md").filter { $0 != "`" }
    for code in ExitCode.allCases {
      let meaning = code.meaning.filter { $0 != "`" }
      #expect(text.contains("| \(code.rawValue) | \(meaning) |"), "\(code.rawValue)")
    }
  }

  @Test("names every variable and file that the manual page names")
  func environment() throws {
    let text = try page("configuration.md") + page("commands.md")
    for (name, _) in ManualPage.environment { #expect(text.contains(name), "\(name)") }
  }
}
