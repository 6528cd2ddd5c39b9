/// The entry point.
@main
enum Syncd {
  static func main() async {
    openStandardStreams()
    ignoreBrokenPipes()
    let words = Array(CommandLine.arguments.dropFirst())
    endProcess(await CommandLineTool(console: .standard, environment: .process).run(words))
  }
}
