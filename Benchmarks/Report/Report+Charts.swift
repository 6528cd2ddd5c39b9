extension Report {
  /// The charts by the names of their files.
  func charts(_ peers: PeerFigures) -> [(name: String, chart: Chart)] {
    var charts = [
      (
        "first-sync",
        Chart(
          title: "First sync: wall time", axis: "records",
          lines: lines(.first) + peers.lines("first"))
      ),
      (
        "delta",
        Chart(
          title: "1 % edited, 0.5 % added, 0.5 % deleted: wall time", axis: "records",
          lines: lines(.delta) + peers.lines("delta"))
      ),
    ]
    let names = ["99th percentile", "median"]
    let values: [(CrowdFigures) -> Double] = [{ $0.p99 }, { $0.p50 }]
    charts.append(
      (
        "clients",
        Chart(
          title: "One edit a second from each client: time to the answer", axis: "clients",
          lines: zip(names, values).enumerated().map { index, line in
            Chart.Line(
              name: line.0, points: crowds.map { (Double($0.clients), line.1($0)) },
              isMain: index == 0)
          })
      ))
    return charts.filter { !$0.1.lines.allSatisfy(\.points.isEmpty) }
  }

  private func lines(_ work: Work) -> [Chart.Line] {
    let measured = measurements.filter {
      $0.work == work && $0.dialect == "syncd" && $0.network == "loopback"
    }.sorted { $0.records < $1.records }
    return [
      Chart.Line(
        name: "syncd", points: measured.map { (Double($0.records), $0.syncd.median.wall) },
        isMain: true),
      Chart.Line(
        name: "floor", points: measured.map { (Double($0.records), $0.floor.median.wall) }),
    ]
  }
}
