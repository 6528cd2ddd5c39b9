/// What `make bench-peers` found: `peer,carries,work,records,seconds,…` a line.
struct PeerFigures {
  private struct Row {
    var peer: String
    var carries: String
    var work: String
    var records: Double
    var seconds: Double
  }

  private let rows: [Row]

  /// - Parameter page: beside which they are; nothing where there are none.
  init(page: String) {
    let text = (try? Files.text("\(Self.folder(of: page))/peers.csv")) ?? ""
    rows = text.split(separator: "\n").dropFirst().compactMap { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
      // syncd's own are measured anew.
      guard cells.count >= 5, cells[0] != "syncd", let records = Double(cells[3]),
        let seconds = Double(cells[4])
      else { return nil }
      return Row(
        peer: cells[0], carries: cells[1], work: cells[2], records: records, seconds: seconds)
    }
  }

  /// The folder of what belongs to a page.
  static func folder(of page: String) -> String {
    page.hasSuffix(".md") ? String(page.dropLast(3)) : page + ".d"
  }

  /// The peers' lines for one work.
  func lines(_ work: String) -> [Chart.Line] {
    let chosen = rows.filter { $0.work == work }
    return chosen.map(\.peer).unique.map { peer in
      Chart.Line(
        name: peer,
        points: chosen.filter { $0.peer == peer }.map { ($0.records, $0.seconds) }
          .sorted { $0.0 < $1.0 })
    }
  }

  /// Who of those that carry records was fastest with so many, and in how many seconds.
  func fastest(_ work: String, _ records: Int) -> (peer: String, seconds: Double)? {
    rows.filter { $0.work == work && $0.records == Double(records) && $0.carries == "records" }
      .min { $0.seconds < $1.seconds }.map { ($0.peer, $0.seconds) }
  }
}
