/// Everything that one call of the bench measures.
struct Suite {
  private let options: Options
  private let workspace: Workspace
  /// The same in memory; nil where the system has no such file system.
  private let inMemory: Workspace?
  private var report: Report
  private var seeds: [Int: Seed] = [:]

  init(_ options: Options, folder: String, memory: String) {
    self.options = options
    let bench = CommandLine.arguments[0]
    workspace = Workspace(folder: folder, syncd: options.syncd, bench: bench)
    inMemory = memory.isEmpty ? nil : Workspace(folder: memory, syncd: options.syncd, bench: bench)
    report = Report(machine: Machine(workspace: workspace))
  }

  mutating func run() throws {
    if options.isQuick { report.remarks.append("A smoke run: its figures say nothing.") }
    for size in options.sizes { try run(size) }
    if options.includes(.delay) { try delayed() }
    let small = options.sizes.last { $0 <= 10_000 } ?? options.sizes[0]
    if options.includes(.serve) {
      Console.complain("the server under many clients")
      try ServeScenario(seed: try seed(small), workspace: workspace).run(
        clients: options.isQuick ? [1, 256] : [1, 16, 256, 2000],
        seconds: options.isQuick ? 2 : 10, into: &report)
    }
    if options.includes(.service) {
      Console.complain("the service while nothing happens")
      try ServiceScenario(seed: try seed(small), workspace: workspace).run(
        seconds: options.isQuick ? 3 : 20, repeats: options.repeats(small), into: &report)
    }
    if options.includes(.decode) {
      Console.complain("ways to read a listing")
      try DecodeScenario(workspace: workspace).run(
        records: options.isQuick ? 10_000 : 100_000, repeats: options.repeats(100_000),
        into: &report)
    }
    report.judge(beside: PeerFigures(page: options.page ?? "docs/benchmarks.md"))
    print(report.plain, terminator: "")
    if let page = options.page { try report.write(to: page) }
  }

  private mutating func run(_ size: Int) throws {
    let repeats = options.repeats(size)
    if options.includes(.syncd) {
      Console.complain("\(size) records, syncd")
      try SyncdScenario(seed: try seed(size), workspace: workspace).run(
        repeats: repeats, into: &report)
    }
    if options.includes(.rest) {
      Console.complain("\(size) records, rest")
      try RESTScenario(seed: try seed(size), workspace: workspace).run(
        repeats: repeats, into: &report)
    }
    // A PUT costs the same at any size.
    guard options.includes(.puts), size <= (options.isQuick ? 1000 : 10_000) else { return }
    Console.complain("\(size) records, single PUTs")
    try PutScenario(seed: try seed(size), workspace: workspace).run(
      repeats: repeats, into: &report)
    if let inMemory {
      try PutScenario(seed: try seed(size), workspace: inMemory, work: .firstInMemory).run(
        repeats: repeats, into: &report)
    }
  }

  /// Small sizes only: what a delay adds is the same for each request.
  private mutating func delayed() throws {
    let (network, link): (Network, ServerProcess)
    do {
      (network, link) = try Network.delayed(workspace)
    } catch {
      report.remarks.append(
        "With a delay between the two sides nothing was measured: \(String(describing: error).firstLine)."
      )
      return
    }
    defer { link.stop() }
    report.link = network.means
    for size in options.sizes where size <= (options.isQuick ? 1000 : 100_000) {
      Console.complain("\(size) records, \(network.name)")
      let seed = try seed(size)
      let repeats = min(3, options.repeats(size))
      try SyncdScenario(seed: seed, network: network, workspace: workspace).run(
        repeats: repeats, into: &report)
      guard size <= 10_000 else { continue }
      try RESTScenario(seed: seed, network: network, workspace: workspace).run(
        repeats: repeats, into: &report)
      if size <= 1000 {
        try PutScenario(seed: seed, network: network, workspace: workspace).run(
          repeats: repeats, into: &report)
      }
    }
  }

  private mutating func seed(_ size: Int) throws -> Seed {
    if let seed = seeds[size] { return seed }
    let seed = try Seed(size, workspace: workspace)
    seeds[size] = seed
    report.bytes[size] = seed.bytes
    return seed
  }
}
