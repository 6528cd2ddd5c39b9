import Synchronization

/// What has been answered since the start.
final class Metrics: Sendable {
  private struct Key: Hashable {
    let method: String
    let status: Int
  }

  private struct Counts {
    var requests: [Key: Int] = [:]
    var bytesReceived = 0
  }

  private let counts = Mutex(Counts())

  private static let methods: Set<String> = ["GET", "HEAD", "PUT", "POST", "DELETE"]

  func count(method: String, status: Int, received: Int) {
    let key = Key(method: Self.methods.contains(method) ? method : "other", status: status)
    counts.withLock { counts in
      counts.requests[key, default: 0] += 1
      counts.bytesReceived += received
    }
  }

  /// The counters in Prometheus' text format.
  func text() -> String {
    let counts = counts.withLock { $0 }
    var text = "# TYPE syncd_requests_total counter\n"
    let keys = counts.requests.keys.sorted { ($0.method, $0.status) < ($1.method, $1.status) }
    for key in keys {
      text += "syncd_requests_total{method=\"\(key.method)\",status=\"\(key.status)\"} "
      text += "\(counts.requests[key] ?? 0)\n"
    }
    text += "# TYPE syncd_received_bytes_total counter\n"
    text += "syncd_received_bytes_total \(counts.bytesReceived)\n"
    return text
  }
}
