/// A first sync of single PUTs, as a plain REST server takes them, against libcurl alone.
struct PutScenario {
  let seed: Seed
  var network = Network.loopback
  let workspace: Workspace
  var work = Work.first

  func run(repeats: Int, into report: inout Report) throws {
    let lines = "\(try workspace.makeFolder("lines"))/projects.ndjson"
    try workspace.output([workspace.bench, "lines", seed.store, lines], name: "lines")
    try report.measure(
      Measurement(work: work, dialect: "rest", network: network.name, records: seed.count),
      repeats
    ) { result in
      let site = try Site(seed, network: network, workspace: workspace)
      defer { site.stop() }
      result.syncd.add(
        try site.once(try site.config("rest"), Site.Expected(appended: seed.count)))
      let folder = try workspace.makeFolder("floor-put")
      let target = try Site.makeServer("server", in: folder, network, workspace: workspace)
      defer { target.stop() }
      result.floor.add(try site.floor(["floor-put", lines], to: target))
    }
  }
}
