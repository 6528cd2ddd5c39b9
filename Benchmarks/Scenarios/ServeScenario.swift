/// `syncd serve` under clients that each edit a record of their own once a second.
struct ServeScenario {
  let seed: Seed
  let workspace: Workspace

  func run(clients: [Int], seconds: Int, into report: inout Report) throws {
    for count in clients {
      let site = try Site(seed, workspace: workspace)
      defer { site.stop() }
      _ = try site.once(try site.config("syncd"), Site.Expected(appended: seed.count))
      site.server.figures.forgetPeak()
      let before = site.server.figures.cpu
      let said = try workspace.output(
        [workspace.bench, "load", site.server.collection, String(count), String(seconds)],
        name: "load")
      let cpu = site.server.figures.cpu - before
      let row = try JSONFigures(
        said, ["requests", "elapsed", "p50", "p99", "most", "refused", "lost", "unanswered"])
      report.crowds.append(
        CrowdFigures(
          clients: count, rate: row[0] / row[1], p50: row[2], p99: row[3], most: row[4],
          refused: Int(row[5]), lost: Int(row[6]), unanswered: Int(row[7]),
          cpu: cpu / row[1], peak: site.server.figures.peak))
    }
  }
}

/// What a number of clients met.
struct CrowdFigures {
  var clients: Int
  /// Edits answered a second.
  var rate: Double
  /// Seconds from the moment an edit was due to its answer.
  var p50: Double
  var p99: Double
  var most: Double
  /// Connections that the server closed without an answer.
  var refused: Int
  /// Records that are not as acknowledged.
  var lost: Int
  /// Edits that got no answer in time.
  var unanswered: Int
  /// Seconds of the server's processor time a second.
  var cpu: Double
  /// The server's memory in bytes.
  var peak: Double
}
