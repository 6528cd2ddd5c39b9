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
    do {
      switch words.first {
      case "fill": try Fill.run(Array(words.dropFirst()))
      case "change": try Change.run(Array(words.dropFirst()))
      case "floor-put": try PutFloor.run(Array(words.dropFirst()))
      case "floor-batch": try BatchFloor.run(Array(words.dropFirst()))
      case "floor-get": try GetFloor.run(Array(words.dropFirst()))
      case "sink": try Sink.run(Array(words.dropFirst()))
      case "supervised":
        try run(try Options(Array(words.dropFirst(3))), in: words[1], memory: words[2])
      default: exit(try Supervisor.run(words, options: try Options(words)))
      }
    } catch {
      Console.complain("syncd-bench: \(error)")
      exit(1)
    }
  }

  private static func run(_ options: Options, in folder: String, memory: String) throws {
    let workspace = Workspace(
      folder: folder, syncd: options.syncd, bench: CommandLine.arguments[0])
    var report = Report(machine: Machine(workspace: workspace))
    let (few, many) = options.isQuick ? (400, 2000) : (10_000, 100_000)
    let (quick, long) = options.isQuick ? (1, 1) : (5, 3)
    if options.isQuick { report.remarks.append("A smoke run: its figures say nothing.") }

    Console.complain("filling stores")
    let seed = try Seed(few, workspace: workspace)
    if options.includes("puts") {
      Console.complain("\(few) single PUTs")
      try PutScenario(seed: seed, workspace: workspace).run(repeats: long, into: &report)
      if !memory.isEmpty {
        let workspace = Workspace(folder: memory, syncd: workspace.syncd, bench: workspace.bench)
        try PutScenario(seed: seed, workspace: workspace, name: "single PUTs in memory").run(
          repeats: quick, into: &report)
      }
    }
    if options.includes("batch") {
      Console.complain("first sync, nothing to do and a delta at \(few)")
      let small = try BatchScenario(seed: seed, workspace: workspace).run(
        repeats: quick, quickRepeats: quick, withDelta: true, into: &report)
      Console.complain("first sync and nothing to do at \(many)")
      let large = try BatchScenario(
        seed: try Seed(many, workspace: workspace), workspace: workspace
      ).run(repeats: long, quickRepeats: quick, withDelta: false, into: &report)
      report.addMemoryTargets(small: small, large: large)
    }
    if report.targets.contains(where: \.isNoisy) {
      report.remarks.append(
        "Noisy: the slowest run took more than twice as long as the fastest, so that the ratio may "
          + "be the machine's.")
    }
    if report.stopped > 0 {
      report.remarks.append(
        "Runs stopped by a signal from outside, and not counted: \(report.stopped).")
    }
    print(report.plain, terminator: "")
    if let page = options.page { try report.write(to: page) }
  }
}

extension Report {
  fileprivate mutating func addMemoryTargets(small: Measurement, large: Measurement) {
    let peak = large.syncd.median.peak
    targets += [
      Target(
        name: "first sync of \(large.records): peak memory", value: peak / 1_048_576, limit: 64,
        unit: " MiB"),
      Target(
        name: "first sync: peak memory at \(large.records) to that at \(small.records)",
        value: peak / small.syncd.median.peak, limit: 1.3, unit: "x"),
    ]
  }
}
