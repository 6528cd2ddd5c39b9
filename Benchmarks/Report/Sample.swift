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
  /// The most that the server's resident memory was meanwhile, in bytes.
  var serverPeak = 0.0
  var requests = 0.0
  var sent = 0.0
  var received = 0.0
  /// Whether a signal from outside stopped the client or the server meanwhile.
  var wasStopped = false

  /// Bytes both ways.
  var traffic: Double { sent + received }

  /// What both took, one after the other.
  static func + (first: Sample, second: Sample) -> Sample {
    Sample(
      wall: first.wall + second.wall, cpu: first.cpu + second.cpu,
      serverCPU: first.serverCPU + second.serverCPU, peak: max(first.peak, second.peak),
      serverPeak: max(first.serverPeak, second.serverPeak),
      requests: first.requests + second.requests, sent: first.sent + second.sent,
      received: first.received + second.received,
      wasStopped: first.wasStopped || second.wasStopped)
  }
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
      peak: middle(\.peak), serverPeak: middle(\.serverPeak), requests: middle(\.requests),
      sent: middle(\.sent), received: middle(\.received))
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
