/// Single PUTs, as a plain REST server takes them, against libcurl alone.
struct PutScenario {
  let seed: Seed
  let workspace: Workspace
  /// Tells this run from others in the table.
  var name = "single PUTs"

  func run(repeats: Int, into report: inout Report) throws {
    var result = Measurement(name: "\(name) (rest)", records: seed.count)
    for _ in 0..<repeats {
      let site = try Site(seed, dialect: "rest", workspace: workspace)
      result.syncd.add(try site.once(appended: seed.count))
      site.server.stop()
      result.floor.add(try floor())
    }
    try report.add(result)
    let (ours, least) = (result.syncd.median, result.floor.median)
    report.targets += [
      Target(
        name: "\(name): client CPU to floor", value: ours.cpu / least.cpu, limit: 3, aim: 2,
        unit: "x"),
      Target(
        name: "\(name): wall to floor", value: ours.wall / least.wall, limit: 1.3, unit: "x",
        isNoisy: result.isNoisy),
    ]
  }

  private func floor() throws -> Sample {
    let folder = try workspace.makeFolder("floor-put")
    let server = try Site.makeServer(in: folder, workspace: workspace)
    defer { server.stop() }
    return try workspace.measure(
      [workspace.bench, "floor-put", server.collection, seed.lines], server: server,
      name: "floor-put"
    ).sample
  }
}
