/// What one run took.
struct Sample {
  /// Seconds.
  var wall = 0.0
  /// Seconds of processor time of the client.
  var cpu = 0.0
  /// Seconds of processor time that the server used meanwhile.
  var serverCPU = 0.0
  /// Bytes.
  var peak = 0.0
  var requests = 0.0
  var sent = 0.0
  var received = 0.0
  /// Whether a signal from outside stopped the client or the server meanwhile.
  var wasStopped = false
}

/// Several runs of one thing.
struct Samples {
  private(set) var all: [Sample] = []
  /// Runs that were stopped from outside, and are not among those counted.
  private(set) var stopped = 0

  mutating func add(_ sample: Sample) {
    if sample.wasStopped { stopped += 1 } else { all.append(sample) }
  }

  /// The median of each figure by itself.
  var median: Sample {
    Sample(
      wall: middle(\.wall), cpu: middle(\.cpu), serverCPU: middle(\.serverCPU),
      peak: middle(\.peak), requests: middle(\.requests), sent: middle(\.sent),
      received: middle(\.received))
  }

  var wallRange: ClosedRange<Double> {
    let walls = all.map(\.wall)
    return (walls.min() ?? 0)...(walls.max() ?? 0)
  }

  /// Whether the slowest run took more than twice as long as the fastest: the machine was busy.
  var isNoisy: Bool { wallRange.upperBound > 2 * wallRange.lowerBound }

  private func middle(_ figure: KeyPath<Sample, Double>) -> Double {
    let sorted = all.map { $0[keyPath: figure] }.sorted()
    guard !sorted.isEmpty else { return 0 }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}

/// One thing that was measured, and the least that could do the same in the same run.
struct Measurement {
  var name: String
  var records: Int
  var syncd = Samples()
  var floor = Samples()

  /// - Throws: `BenchError` when no run is left to take a figure from.
  func check() throws {
    guard !syncd.all.isEmpty, !floor.all.isEmpty else {
      throw BenchError("\(name): every run was stopped from outside")
    }
  }

  var isNoisy: Bool { syncd.isNoisy || floor.isNoisy }
}

/// What a figure should be.
struct Target {
  var name: String
  var value: Double
  var limit: Double
  /// What to reach for; nil when the limit says it all.
  var aim: Double?
  var unit: String
  /// Whether the times it rests on are far apart.
  var isNoisy = false

  var isMet: Bool { value <= limit }
}
