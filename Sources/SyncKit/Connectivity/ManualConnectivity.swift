internal import Synchronization

/// A network that somebody else tells about: an embedder with knowledge of its own, or a test.
public final class ManualConnectivity: Connectivity {
  private struct State {
    var path: NetworkPath
    var next = 0
    var followers: [Int: AsyncStream<NetworkPath>.Continuation] = [:]
  }

  private let state: Mutex<State>

  /// - Parameter isUp: the state until something else is said.
  public init(isUp: Bool = true) {
    state = Mutex(State(path: NetworkPath(isUp: isUp, signature: 0)))
  }

  deinit {
    for follower in state.withLock({ Array($0.followers.values) }) { follower.finish() }
  }

  public var path: NetworkPath { state.withLock { $0.path } }

  /// Says that the network is up, or down. The same network comes back.
  public func set(isUp: Bool) {
    change { $0.isUp = isUp }
  }

  /// Says how the network is now.
  public func set(_ path: NetworkPath) {
    change { $0 = path }
  }

  /// Says that the machine has moved to another network, and that it is up.
  public func move() {
    change { $0 = NetworkPath(isUp: true, signature: $0.signature &+ 1) }
  }

  public func paths() -> AsyncStream<NetworkPath> {
    AsyncStream(bufferingPolicy: .bufferingNewest(followedPaths)) { continuation in
      let key = state.withLock { state in
        state.next += 1
        state.followers[state.next] = continuation
        // Told under the lock, so that no change comes before the state that it changed.
        continuation.yield(state.path)
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.followers[key] = nil }
      }
    }
  }

  /// How many follow now.
  package var followers: Int { state.withLock { $0.followers.count } }

  private func change(_ body: (inout NetworkPath) -> Void) {
    state.withLock { state in
      let before = state.path
      body(&state.path)
      guard state.path != before else { return }
      for follower in state.followers.values { follower.yield(state.path) }
    }
  }
}
