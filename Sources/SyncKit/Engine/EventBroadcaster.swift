import Synchronization

/// Hands every event to every follower.
final class EventBroadcaster: Sendable {
  private struct Followers {
    var next = 0
    var continuations: [Int: AsyncStream<SyncEvent>.Continuation] = [:]
  }

  private let followers = Mutex(Followers())

  func subscribe() -> AsyncStream<SyncEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
      let key = followers.withLock { followers in
        followers.next += 1
        followers.continuations[followers.next] = continuation
        return followers.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.followers.withLock { _ = $0.continuations.removeValue(forKey: key) }
      }
    }
  }

  func send(_ event: SyncEvent) {
    let continuations = followers.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.yield(event) }
  }

  deinit {
    let continuations = followers.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.finish() }
  }
}
