/// All that one run of the bench found.
struct Report {
  private(set) var measurements: [Measurement] = []
  var crowds: [CrowdFigures] = []
  var services: [IdleFigures] = []
  var decoders: [DecodeFigures] = []
  /// Bytes of the JSON of so many records.
  var bytes: [Int: Int] = [:]
  /// What delayed the packets of the delayed link.
  var link: String?
  var targets: [Target] = []
  let machine: Machine
  /// What a reader must know to judge the figures: what was cut short, say.
  var remarks: [String] = []

  init(machine: Machine) { self.machine = machine }

  /// Takes as many samples of something as asked.
  mutating func measure(
    _ measurement: Measurement, _ repeats: Int, _ body: (inout Measurement) throws -> Void
  ) throws {
    var measurement = measurement
    for _ in 0..<repeats { try body(&measurement) }
    try measurement.check()
    measurements.append(measurement)
    let (ours, least) = (measurement.syncd.median, measurement.floor.median)
    Console.complain(
      "  \(measurement.work.name): \(String(ours.wall * 1000, decimals: 1)) ms, floor "
        + "\(String(least.wall * 1000, decimals: 1)) ms, CPU \(String(ours.cpu * 1000, decimals: 1)) ms"
    )
  }

  func find(
    _ work: Work, _ records: Int, dialect: String = "syncd", network: String = "loopback"
  ) -> Measurement? {
    measurements.first {
      $0.work == work && $0.records == records && $0.dialect == dialect && $0.network == network
    }
  }

  var plain: String {
    machine.lines.joined(separator: "\n") + "\n"
      + sections.map { "\n\($0.title)\n\n\($0.table.plain)" }.joined()
      + remarks.map { "\n\($0)\n" }.joined()
  }

  private var markdown: String {
    machine.lines.map { "- \($0)\n" }.joined()
      + sections.map { section in
        let charts = section.charts.map { "![\(section.title)](benchmarks/\($0).svg)\n\n" }
        return "\n### \(section.title)\n\n\(section.words.map { $0 + "\n\n" } ?? "")"
          + charts.joined()
          + section.table.markdown
      }.joined() + remarks.map { "\n\($0)\n" }.joined()
  }

  /// Puts the figures between the two marks of a page and leaves the words around them, and draws
  /// the charts in the folder beside it that has the page's name.
  func write(to path: String) throws {
    let page = try Files.text(path)
    guard let start = page.firstRange(of: Self.begin), let end = page.firstRange(of: Self.end),
      start.upperBound <= end.lowerBound
    else { throw BenchError("\(path) lacks the lines \(Self.begin) and \(Self.end)") }
    let folder = PeerFigures.folder(of: path)
    if (try? Files.names(in: folder)) == nil { try Files.makeFolder(folder) }
    let peers = PeerFigures(page: path)
    for (name, chart) in charts(peers) { try Files.write(chart.svg, to: "\(folder)/\(name).svg") }
    try Files.write(
      page[..<start.upperBound] + "\n\n" + markdown + "\n" + page[end.lowerBound...], to: path)
  }

  private static let begin = "<!-- begin: make bench -->"
  private static let end = "<!-- end: make bench -->"
}
