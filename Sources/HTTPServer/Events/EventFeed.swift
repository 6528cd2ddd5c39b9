import Synchronization

/// Those who follow events, by topic.
///
/// One task sends all heartbeats, by which clients that are gone are found out; it runs only while
/// somebody follows.
package final class EventFeed: Sendable {
  private struct State {
    var topics: [String: [ObjectIdentifier: FeedFollower]] = [:]
    var count = 0
    var isClosed = false
    var heartbeats: Task<Void, Never>?
  }

  private let limit: Int
  private let heartbeat: Duration
  private let clock: any Clock<Duration>
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: how many may follow at once.
  ///   - heartbeat: the time between two heartbeats.
  package init(
    limit: Int, heartbeat: Duration = .seconds(20),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.limit = limit
    self.heartbeat = heartbeat
    self.clock = clock
  }

  /// How many follow now.
  package var count: Int { state.withLock { $0.count } }

  /// Lets another one follow. Its answer is to be sent, or it is to be ended.
  ///
  /// - Parameter isWelcome: asked with every heartbeat whether it may go on.
  /// - Throws: `Problem` 503 when as many follow as may.
  package func follow(
    _ topic: String, bounds: FeedFollower.Bounds,
    isWelcome: @escaping @Sendable () -> Bool = { true }
  ) throws(Problem) -> FeedFollower {
    let follower = FeedFollower(bounds: bounds, isWelcome: isWelcome) { [weak self] follower in
      self?.remove(follower, from: topic)
    }
    let isIn = state.withLock { state in
      guard !state.isClosed, state.count < limit else { return false }
      state.count += 1
      state.topics[topic, default: [:]][ObjectIdentifier(follower)] = follower
      if state.heartbeats == nil { state.heartbeats = Task { await sendHeartbeats() } }
      return true
    }
    guard isIn else {
      throw Problem(503, "as many clients follow the events as may").adding("Retry-After", "30")
    }
    return follower
  }

  /// Whether a publication would reach anyone.
  package func hasFollowers(_ topic: String) -> Bool {
    state.withLock { $0.topics[topic] != nil }
  }

  package func publish(_ event: [UInt8], to topic: String) {
    let followers = state.withLock { $0.topics[topic] } ?? [:]
    for follower in followers.values { follower.put(event) }
  }

  /// Ends every answer; nobody follows any more.
  package func close() {
    let followers = state.withLock { state in
      state.isClosed = true
      return state.topics.values.flatMap(\.values)
    }
    for follower in followers { follower.end() }
  }

  private func remove(_ follower: FeedFollower, from topic: String) {
    state.withLock { state in
      guard state.topics[topic]?.removeValue(forKey: ObjectIdentifier(follower)) != nil else {
        return
      }
      if state.topics[topic]?.isEmpty == true { state.topics[topic] = nil }
      state.count -= 1
      guard state.count == 0 else { return }
      state.heartbeats?.cancel()
      state.heartbeats = nil
    }
  }

  private func sendHeartbeats() async {
    while !Task.isCancelled {
      do { try await clock.sleep(for: heartbeat) } catch { return }
      let followers = state.withLock { $0.topics.values.flatMap(\.values) }
      for follower in followers {
        if follower.isWelcome() { follower.beat() } else { follower.end() }
      }
    }
  }
}
