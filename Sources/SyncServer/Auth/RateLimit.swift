import Synchronization

/// A bucket of tokens for each caller: filled steadily, emptied by requests, ten seconds deep.
final class RateLimit: Sendable {
  private struct Bucket {
    var level: Double
    var filled: ContinuousClock.Instant
  }

  private let perSecond: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  init(perSecond: Double) {
    self.perSecond = perSecond
  }

  func allows(_ key: String, at now: ContinuousClock.Instant = .now) -> Bool {
    let depth = max(1, perSecond * 10)
    return buckets.withLock { buckets in
      var bucket = buckets[key] ?? Bucket(level: depth, filled: now)
      let elapsed = (now - bucket.filled) / .seconds(1)
      bucket.level = min(depth, bucket.level + elapsed * perSecond)
      bucket.filled = now
      defer { buckets[key] = bucket }
      guard bucket.level >= 1 else { return false }
      bucket.level -= 1
      return true
    }
  }
}
