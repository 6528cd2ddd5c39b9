#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `syncd run` that is in sync: what it costs while nothing happens, and how long a run takes that
/// it is asked for.
struct ServiceScenario {
  let seed: Seed
  let workspace: Workspace

  func run(seconds: Int, repeats: Int, into report: inout Report) throws {
    let site = try Site(seed, workspace: workspace)
    defer { site.stop() }
    _ = try site.once(try site.config("syncd"), Site.Expected(appended: seed.count))
    let socket = "\(workspace.folder)/control.sock"
    let config = try site.config("syncd", more: "service: { socket: \"\(socket)\" }")
    let service = try ServerProcess(
      [workspace.syncd, "run", "--config", config], saying: "started",
      log: "\(workspace.folder)/service.log")
    defer { service.stop() }
    let ask = [workspace.syncd, "sync", "--wait", "--json", "--config", config]
    _ = try workspace.output(ask, name: "sync")
    // The run it makes at its start, and what follows one, are over by then.
    sleep(3)
    let (cpu, before) = (service.figures.cpu, service.figures.sleeps)
    sleep(UInt32(seconds))
    // Those of a thread that ended meanwhile are not among them.
    let wakeUps = service.figures.sleeps.reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
    var figures = IdleFigures(
      records: seed.count, seconds: Double(seconds), cpu: service.figures.cpu - cpu,
      wakeUps: wakeUps, resident: service.figures.resident)
    for _ in 0..<repeats {
      let run = try RunReport(json: try workspace.output(ask, name: "sync"))
      guard run.outcome == "inSync", run.requests >= 1 else {
        throw BenchError("the service reports \(run)")
      }
      figures.runs.append(run.seconds)
    }
    report.services.append(figures)
  }
}

/// What a service took while it had nothing to do.
struct IdleFigures {
  var records: Int
  /// How long it was watched.
  var seconds: Double
  /// Seconds of processor time meanwhile.
  var cpu: Double
  var wakeUps: Double
  /// Bytes.
  var resident: Double
  /// Seconds that runs took which found nothing to do.
  var runs: [Double] = []

  var run: Double { runs.sorted()[runs.count / 2] }
}
