/// The life of a store and a remote of the dialect `syncd`: a first sync, runs with nothing to do,
/// edits, deltas, and sets that must be compared.
struct SyncdScenario {
  let seed: Seed
  var network = Network.loopback
  let workspace: Workspace

  func run(repeats: Int, into report: inout Report) throws {
    let site = try first(repeats, &report)
    defer { site.stop() }
    let config = try site.config("syncd")
    try measure(.nothing, repeats, &report) { result in
      result.syncd.add(try site.once(config))
      result.floor.add(try site.floor(["floor-get", site.store]))
    }
    try changes(site, config, repeats, &report)
    try comparisons(site, repeats, &report)
    // The contents of every record, once more; of a million that takes longer than it tells.
    if seed.count <= 100_000 { try site.verify(config) }
  }

  /// - Returns: the site of the last repetition, in sync.
  private func first(_ repeats: Int, _ report: inout Report) throws -> Site {
    var last: Site?
    try measure(.first, repeats, &report) { result in
      last?.stop()
      let site = try Site(seed, network: network, workspace: workspace)
      last = site
      result.syncd.add(
        try site.once(try site.config("syncd"), Site.Expected(appended: seed.count)))
      result.floor.add(try site.floor(["floor-batch", seed.store]))
    }
    guard let last else { throw BenchError("nothing was run") }
    return last
  }

  private func changes(
    _ site: Site, _ config: String, _ repeats: Int, _ report: inout Report
  ) throws {
    var works = [(Work.edit, 1), (.delta, seed.count / 100)]
    if seed.count > 10_000 { works.insert((.few, 100), at: 1) }
    for (work, edits) in works {
      try measure(work, repeats, &report) { result in
        let expected = try site.change(edits: edits)
        result.floor.add(try site.floor(["floor-batch", site.store, "changes"]))
        result.syncd.add(try site.once(config, expected))
      }
    }
  }

  /// Another client changes records, and the store has no version, or one that the server has
  /// forgotten: what differs is found by comparing, and pulled.
  private func comparisons(_ site: Site, _ repeats: Int, _ report: inout Report) throws {
    let config = try site.config("syncd", direction: "both")
    _ = try site.once(config)
    try measure(.expired, repeats, &report) { result in
      let expected = try site.alter(1)
      try site.forgetChanges()
      result.syncd.add(try site.once(config, expected))
      result.floor.add(try floor(site, 1))
    }
    for count in [1, 100, 1000] where count <= seed.count / 10 {
      try measure(.compare(count), repeats, &report) { result in
        let expected = try site.alter(count)
        try site.forgetVersion()
        result.syncd.add(try site.once(config, expected))
        result.floor.add(try floor(site, count))
      }
    }
  }

  private func floor(_ site: Site, _ count: Int) throws -> Sample {
    try site.floor(["floor-batch", site.store, "every"] + site.scattered(count))
  }

  private func measure(
    _ work: Work, _ repeats: Int, _ report: inout Report,
    _ body: (inout Measurement) throws -> Void
  ) throws {
    try report.measure(
      Measurement(work: work, dialect: "syncd", network: network.name, records: seed.count),
      repeats, body)
  }
}
