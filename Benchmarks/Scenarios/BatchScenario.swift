/// The life of a store and a remote that speaks batches: a first sync, runs with nothing to do, and
/// a small delta.
struct BatchScenario {
  let seed: Seed
  let workspace: Workspace

  /// - Parameters:
  ///   - repeats: of the first sync and of the delta.
  ///   - quickRepeats: of the run with nothing to do.
  func run(
    repeats: Int, quickRepeats: Int, withDelta: Bool, into report: inout Report
  ) throws -> Measurement {
    var first = Measurement(name: "first sync (batch)", records: seed.count)
    var last: (site: Site, sink: ServerProcess)?
    for _ in 0..<repeats {
      if let last { stop(last) }
      let site = try Site(seed, dialect: "syncd", workspace: workspace)
      first.syncd.add(try site.once(appended: seed.count))
      let sink = try Site.makeSink("sink-\(seed.count)", workspace: workspace)
      first.floor.add(try floor("floor-batch", sink, [seed.store]))
      last = (site, sink)
    }
    try report.add(first)
    report.targets.append(
      Target(
        name: "first sync of \(seed.count): wall to floor",
        value: first.syncd.median.wall / first.floor.median.wall, limit: 3, aim: 2, unit: "x",
        isNoisy: first.isNoisy))
    guard let last else { return first }
    defer { stop(last) }
    try idle(last.site, last.sink, repeats: quickRepeats, into: &report)
    if withDelta { try delta(last.site, last.sink, repeats: quickRepeats, into: &report) }
    return first
  }

  private func idle(
    _ site: Site, _ sink: ServerProcess, repeats: Int, into report: inout Report
  ) throws {
    var result = Measurement(name: "nothing to do", records: seed.count)
    for _ in 0..<repeats {
      result.syncd.add(try site.once())
      result.floor.add(try floor("floor-get", sink, [site.store]))
    }
    try report.add(result)
    report.targets += [
      Target(
        name: "nothing to do at \(seed.count): requests", value: result.syncd.median.requests,
        limit: 2, unit: ""),
      Target(
        name: "nothing to do at \(seed.count): wall", value: result.syncd.median.wall * 1000,
        limit: 100, aim: 20, unit: " ms", isNoisy: result.syncd.isNoisy),
    ]
  }

  /// Each round edits 1 %, adds 0.5 % and deletes 0.5 %, by SQL.
  private func delta(
    _ site: Site, _ sink: ServerProcess, repeats: Int, into report: inout Report
  ) throws {
    let count = seed.count
    var result = Measurement(name: "delta: 1 % edited, 0.5 % added, 0.5 % deleted", records: count)
    for round in 0..<repeats {
      let stamp = try workspace.output(
        [workspace.bench, "change", site.store, String(count), String(round)], name: "change")
      let changed = ["updated_at > \(stamp.firstLine)", String(count), String(round)]
      result.floor.add(try floor("floor-batch", sink, [site.store] + changed))
      result.syncd.add(
        try site.once(appended: count / 200, updated: count / 100, deleted: count / 200))
    }
    try report.add(result)
  }

  private func floor(_ command: String, _ sink: ServerProcess, _ words: [String]) throws -> Sample {
    try workspace.measure(
      [workspace.bench, command, sink.collection] + words, server: sink, name: command
    ).sample
  }

  private func stop(_ pair: (site: Site, sink: ServerProcess)) {
    pair.site.server.stop()
    pair.sink.stop()
  }
}
