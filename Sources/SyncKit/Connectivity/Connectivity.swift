/// Follows the machine's network.
///
/// What an implementation promises, and one suite checks on each:
/// - The first element is the state now, and comes without delay.
/// - Then comes one element for each change, and no two equal ones in a row. A follower that lags
///   far behind loses the oldest.
/// - Nothing wakes up while nothing changes.
/// - The iteration ends when its task is cancelled; ending it, or dropping the stream, gives back
///   every descriptor that it held.
/// - Where the system does not tell, the network is up and never changes: only trying shows more.
public protocol Connectivity: Sendable {
  /// The state now, and each change of it. Each call follows on its own.
  func paths() -> AsyncStream<NetworkPath>
}

/// How far a follower may lag behind.
let followedPaths = 256
