import SyncKit

@testable import syncd

/// One command line carried out in this process, and all that it said.
struct Outcome: Sendable {
  let ending: CommandLineTool.Ending
  let out: String
  let err: String

  var code: Int32 {
    switch ending {
    case .exit(let code): code.rawValue
    case .signal(let number): 128 + number
    }
  }
}

/// Runs `syncd` with these words; nothing of the machine's own configuration is seen.
func syncd(_ words: [String], variables: [String: String] = [:]) async -> Outcome {
  let console = Console()
  var environment = ["HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent/config"]
  environment.merge(variables) { $1 }
  let tool = CommandLineTool(console: console, environment: Environment(variables: environment))
  let ending = await tool.run(words)
  return Outcome(ending: ending, out: console.out.text, err: console.err.text)
}

func syncd(_ words: String...) async -> Outcome { await syncd(words) }
