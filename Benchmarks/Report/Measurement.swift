/// One thing that was measured, and the least that could do the same in the same run.
struct Measurement {
  var work: Work
  var dialect: String
  var network: String
  var records: Int
  var syncd = Samples()
  var floor = Samples()

  /// - Throws: `BenchError` when no run is left to take a figure from.
  func check() throws {
    guard !syncd.all.isEmpty, !floor.all.isEmpty else {
      throw BenchError("\(work.name): every run was stopped from outside")
    }
  }

  var isNoisy: Bool { syncd.isNoisy || floor.isNoisy }
  var wallToFloor: Double { syncd.median.wall / floor.median.wall }
  var cpuToFloor: Double { syncd.median.cpu / floor.median.cpu }
}

/// What is done in a measurement.
enum Work: Hashable {
  case first
  case firstInMemory
  case nothing
  case edit
  case delta
  /// As many changes, whatever the size.
  case few
  case expired
  /// So many records differ, and no version is remembered.
  case compare(Int)

  var name: String {
    switch self {
    case .first: "first sync"
    case .firstInMemory: "first sync, files in memory"
    case .nothing: "nothing to do"
    case .edit: "one edit"
    case .delta: "delta: 1 % edited, 0.5 % added, 0.5 % deleted"
    case .few: "200 changes"
    case .expired: "expired cursor, 1 difference"
    case .compare(let differences):
      "compare: \(differences) \(differences == 1 ? "difference" : "differences")"
    }
  }
}
