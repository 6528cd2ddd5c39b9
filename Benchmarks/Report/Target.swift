/// What a figure should be.
struct Target {
  /// The work that is measured.
  var name: String
  /// Which figure of it.
  var figure: String
  var value: Double
  var limit: Double
  var unit = ""
  /// Whether the times it rests on are far apart.
  var isNoisy = false

  var isMet: Bool { value <= limit }

  func text(_ number: Double) -> String {
    String(number, decimals: number == number.rounded() ? 0 : number < 10 ? 2 : 1) + unit
  }
}

extension Report {
  /// Holds what was measured against what it should be.
  ///
  /// - Parameter peers: what others took when they were last measured.
  mutating func judge(beside peers: PeerFigures) {
    for records in [10_000, 100_000] { judgeFirst(records, peers) }
    judgeNothing()
    judgeChanges()
    judgeCompare()
    judgeMemory()
    judgeREST()
    guard let crowd = crowds.first(where: { $0.clients == 256 }) else { return }
    let name = "serve, 256 clients, one edit a second each"
    targets += [
      Target(name: name, figure: "p99", value: crowd.p99 * 1000, limit: 50, unit: " ms"),
      Target(
        name: name, figure: "edits lost or not answered",
        value: Double(crowd.lost + crowd.unanswered), limit: 0),
    ]
  }

  private mutating func judgeFirst(_ records: Int, _ peers: PeerFigures) {
    guard let first = find(.first, records) else { return }
    add(first, "wall to floor", first.wallToFloor, 2, "x")
    add(first, "wall", first.syncd.median.wall, records == 10_000 ? 0.18 : 1.7, " s")
    if let (peer, seconds) = peers.fastest("first", records) {
      add(first, "wall to that of \(peer)", first.syncd.median.wall / seconds, 1, "x")
    }
    guard let json = bytes[records] else { return }
    add(first, "bytes sent to the records' JSON", first.syncd.median.sent / Double(json), 1.05, "x")
  }

  private mutating func judgeNothing() {
    let sizes = measurements.map(\.records).unique.sorted()
    for nothing in sizes.compactMap({ find(.nothing, $0) }) {
      add(nothing, "requests", nothing.syncd.median.requests, 1)
      add(nothing, "bytes both ways", nothing.syncd.median.traffic, 1000)
      add(nothing, "wall", nothing.syncd.median.wall * 1000, 20, " ms")
    }
    if let small = find(.nothing, 1000), let large = find(.nothing, 1_000_000) {
      add(
        large, "wall to that at 1,000", large.syncd.median.wall / small.syncd.median.wall, 1.3, "x")
    }
    if let service = services.first {
      targets.append(
        Target(
          name: "nothing to do, the service up", figure: "the run", value: service.run * 1000,
          limit: 5, unit: " ms"))
    }
  }

  private mutating func judgeChanges() {
    let small = find(.delta, 10_000)
    if let small {
      add(small, "wall", small.syncd.median.wall * 1000, 50, " ms")
      add(small, "kB both ways", small.syncd.median.traffic / 1000, 80, " kB")
    }
    if let large = find(.delta, 100_000) {
      add(large, "wall", large.syncd.median.wall * 1000, 250, " ms")
    }
    if let small, let few = find(.few, 1_000_000) {
      add(
        few, "wall to that of the delta at 10,000",
        few.syncd.median.wall / small.syncd.median.wall, 1.3, "x")
    }
    if let edit = find(.edit, 1_000_000) {
      add(edit, "requests", edit.syncd.median.requests, 3)
      add(edit, "wall", edit.syncd.median.wall * 1000, 30, " ms")
    }
  }

  private mutating func judgeCompare() {
    for (count, kilobytes, limit) in [(1, 3.0, 100.0), (100, 150, 300), (1000, 1100, 1000)] {
      guard let compare = find(.compare(count), 1_000_000) else { continue }
      add(compare, "requests", compare.syncd.median.requests, 3)
      add(compare, "kB both ways", compare.syncd.median.traffic / 1000, kilobytes, " kB")
      add(compare, "wall", compare.syncd.median.wall * 1000, limit, " ms")
    }
  }

  private mutating func judgeMemory() {
    for (measured, what) in [
      (find(.first, 1_000_000), ""), (find(.nothing, 1_000_000, dialect: "rest"), " (listing)"),
    ] {
      guard let measured else { continue }
      add(
        measured, "client's peak memory" + what, measured.syncd.median.peak / 1_048_576, 64, " MiB")
      add(
        measured, "server's peak memory" + what, measured.syncd.median.serverPeak / 1_048_576, 64,
        " MiB")
    }
  }

  private mutating func judgeREST() {
    for work in [Work.first, .firstInMemory] {
      guard let puts = find(work, 10_000, dialect: "rest") else { continue }
      add(puts, "client's CPU to floor", puts.cpuToFloor, 2, "x")
      add(puts, "wall to floor", puts.wallToFloor, 1.3, "x")
    }
    if let listing = find(.nothing, 1_000_000, dialect: "rest") {
      add(listing, "wall to floor (listing)", listing.wallToFloor, 2, "x")
    }
  }

  private mutating func add(
    _ measured: Measurement, _ figure: String, _ value: Double, _ limit: Double, _ unit: String = ""
  ) {
    let dialect = measured.dialect == "rest" ? "rest, " : ""
    targets.append(
      Target(
        name: "\(dialect)\(measured.work.name), \(String(Double(measured.records), decimals: 0))",
        figure: figure, value: value, limit: limit, unit: unit,
        isNoisy: figure.hasPrefix("wall") && measured.isNoisy))
  }
}
