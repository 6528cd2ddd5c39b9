import SyncKit

/// The entry point.
@main
enum Syncd {
  static func main() async {
    openStandardStreams()
    ignoreBrokenPipes()
    Database.keepNoAccounts()
    let words = Array(CommandLine.arguments.dropFirst())
    guard hasReadableArguments else {
      let console = Console.standard
      console.complain("an argument is not UTF-8, and would be kept otherwise than it was written")
      endProcess(.exit(.usage))
    }
    endProcess(await CommandLineTool(console: .standard, environment: .process).run(words))
  }
}
