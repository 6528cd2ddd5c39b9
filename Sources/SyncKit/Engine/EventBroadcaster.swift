import Synchronization

/// Hands every event to every follower.
final class EventBroadcaster<Event: Sendable>: Sendable {
  private struct Followers {
    var next = 0
    var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
  }

  private let followers = Mutex(Followers())
  /// Looked at without the lock: most runs have no follower, and events are many.
  private let count = Atomic(0)

  func subscribe() -> AsyncStream<Event> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
      let key = followers.withLock { followers in
        followers.next += 1
        followers.continuations[followers.next] = continuation
        count.store(followers.continuations.count, ordering: .relaxed)
        return followers.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.forget(key)
      }
    }
  }

  private func forget(_ key: Int) {
    followers.withLock { followers in
      followers.continuations[key] = nil
      count.store(followers.continuations.count, ordering: .relaxed)
    }
  }

  func send(_ event: Event) {
    guard count.load(ordering: .relaxed) > 0 else { return }
    let continuations = followers.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.yield(event) }
  }

  deinit {
    let continuations = followers.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.finish() }
  }
}
