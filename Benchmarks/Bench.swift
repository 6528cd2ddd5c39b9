#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Measures `syncd` as whole processes, each figure beside its floor in the same run.
@main
enum Bench {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    let rest = Array(words.dropFirst())
    do {
      switch words.first {
      case "fill": try Fill.run(rest)
      case "lines": try Lines.run(rest)
      case "change": try Change.run(rest)
      case "alter": try Scattered.run(rest)
      case "floor-put": try PutFloor.run(rest)
      case "floor-batch": try BatchFloor.run(rest)
      case "floor-get": try GetFloor.run(rest)
      case "floor-list": try ListFloor.run(rest)
      case "decode": try Decode.run(rest)
      case "sink": try Sink.run(rest)
      case "link": try Link.run(rest)
      case "link-far": try Link.runFar(rest)
      case "load": try Load.run(rest)
      case "time": try TimedCommand.run(rest)
      case "supervised":
        var suite = Suite(
          try Options(Array(words.dropFirst(3))), folder: words[1], memory: words[2])
        try suite.run()
      default: exit(try Supervisor.run(words, options: try Options(words)))
      }
    } catch {
      Console.complain("syncd-bench: \(error)")
      exit(1)
    }
  }
}
