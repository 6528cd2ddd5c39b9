/// A store and a remote of the dialect `rest` that are in sync: the listing is read whatever there is
/// to do, digests in pages of ten thousand, and every change is a request of its own.
struct RESTScenario {
  let seed: Seed
  var network = Network.loopback
  let workspace: Workspace

  private static let query = "fields=id,updatedAt,etag&limit=10000"

  func run(repeats: Int, into report: inout Report) throws {
    let site = try Site(seed, network: network, workspace: workspace)
    defer { site.stop() }
    // In batches: what is measured begins after it.
    _ = try site.once(try site.config("syncd"), Site.Expected(appended: seed.count))
    let config = try site.config("rest", query: Self.query)
    _ = try site.once(config)
    try measure(.nothing, repeats, &report) { result in
      result.syncd.add(try site.once(config))
      result.floor.add(try listing(site))
    }
    var works = [(Work.edit, 1)]
    if seed.count <= 100_000 && network.near.isEmpty { works.append((.delta, seed.count / 100)) }
    let folder = try workspace.makeFolder("floor-rest")
    let target = try Site.makeServer("server", in: folder, network, workspace: workspace)
    defer { target.stop() }
    for (work, edits) in works {
      try measure(work, repeats, &report) { result in
        let expected = try site.change(edits: edits)
        let lines = "\(folder)/changes.ndjson"
        try workspace.output(
          [workspace.bench, "lines", site.store, lines, "changes"], name: "lines")
        result.floor.add(
          try listing(site) + site.floor(["floor-put", lines, "replace"], to: target))
        result.syncd.add(try site.once(config, expected))
      }
    }
    if seed.count <= 100_000 { try site.verify(config) }
  }

  private func listing(_ site: Site) throws -> Sample {
    try site.floor(["floor-list"], to: site.server, path: "?\(Self.query)")
  }

  private func measure(
    _ work: Work, _ repeats: Int, _ report: inout Report,
    _ body: (inout Measurement) throws -> Void
  ) throws {
    try report.measure(
      Measurement(work: work, dialect: "rest", network: network.name, records: seed.count),
      repeats, body)
  }
}
