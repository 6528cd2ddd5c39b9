/// The entry point.
@main
enum Syncd {
  static func main() async {
    ignoreBrokenPipes()
    let words = Array(CommandLine.arguments.dropFirst())
    endProcess(await CommandLineTool(console: .standard, environment: .process).run(words))
  }
}
