/// All that one run of the bench found.
struct Report {
  private(set) var measurements: [Measurement] = []
  var targets: [Target] = []
  let machine: Machine
  /// What a reader must know to judge the figures: what was cut short, say.
  var remarks: [String] = []

  mutating func add(_ measurement: Measurement) throws {
    try measurement.check()
    measurements.append(measurement)
  }

  /// Runs that were stopped from outside and are not counted.
  var stopped: Int { measurements.reduce(0) { $0 + $1.syncd.stopped + $1.floor.stopped } }

  var plain: String {
    machine.lines.joined(separator: "\n") + "\n\n" + figures.plain + "\n" + verdicts.plain
      + remarks.map { "\n" + $0 + "\n" }.joined()
  }

  var markdown: String {
    machine.lines.map { "- \($0)\n" }.joined() + "\n" + figures.markdown + "\n"
      + verdicts.markdown + remarks.map { "\n" + $0 + "\n" }.joined()
  }

  private var figures: Table {
    var table = Table([
      "what", "who", "records", "wall ms", "from-to", "CPU ms", "server CPU ms", "peak MiB",
      "requests", "KiB sent", "KiB received",
    ])
    table.leftAligned = 2
    for measurement in measurements {
      let records = String(Double(measurement.records), decimals: 0)
      table.add([measurement.name, "syncd", records] + row(measurement.syncd))
      guard !measurement.floor.all.isEmpty else { continue }
      table.add(["", "floor", ""] + row(measurement.floor))
      let (ours, least) = (measurement.syncd.median, measurement.floor.median)
      table.add([
        "", "ratio", "", ratio(ours.wall, least.wall), "", ratio(ours.cpu, least.cpu),
        ratio(ours.serverCPU, least.serverCPU), ratio(ours.peak, least.peak),
        ratio(ours.requests, least.requests), ratio(ours.sent, least.sent),
        ratio(ours.received, least.received),
      ])
    }
    return table
  }

  private func row(_ samples: Samples) -> [String] {
    let (median, range) = (samples.median, samples.wallRange)
    return [
      String(median.wall * 1000, decimals: 1),
      String(range.lowerBound * 1000, decimals: 0) + "-"
        + String(range.upperBound * 1000, decimals: 0),
      String(median.cpu * 1000, decimals: 1), String(median.serverCPU * 1000, decimals: 0),
      String(median.peak / 1_048_576, decimals: 1), String(median.requests, decimals: 0),
      String(median.sent / 1024, decimals: 1), String(median.received / 1024, decimals: 1),
    ]
  }

  private func ratio(_ ours: Double, _ least: Double) -> String {
    least > 0 ? String(ours / least, decimals: 2) : "-"
  }

  private var verdicts: Table {
    var table = Table(["target", "measured", "limit", "aim", ""])
    for target in targets {
      table.add([
        target.name, String(target.value, decimals: 2) + target.unit,
        String(target.limit, decimals: 2) + target.unit,
        target.aim.map { String($0, decimals: 2) + target.unit } ?? "",
        (target.isMet ? "pass" : "MISS") + (target.isNoisy ? ", noisy" : ""),
      ])
    }
    return table
  }

  /// Puts the figures between the two marks of a page, and leaves the words around them.
  func write(to path: String) throws {
    let page = try Files.text(path)
    guard let start = page.firstRange(of: Self.begin), let end = page.firstRange(of: Self.end),
      start.upperBound <= end.lowerBound
    else { throw BenchError("\(path) lacks the lines \(Self.begin) and \(Self.end)") }
    try Files.write(
      page[..<start.upperBound] + "\n\n" + markdown + "\n" + page[end.lowerBound...], to: path)
  }

  private static let begin = "<!-- begin: make bench -->"
  private static let end = "<!-- end: make bench -->"
}
