import Synchronization
import TestSupport

@testable import SyncKit

/// An implementation with a network that a test can change.
struct ConnectivityUnderTest: Sendable {
  /// A new follower.
  var follow: @Sendable () async throws -> AsyncStream<NetworkPath>
  /// Takes the network away, or brings it back.
  var set: @Sendable (_ isUp: Bool) async throws -> Void
  /// Makes it another network, which is up.
  var move: @Sendable () async throws -> Void
  /// How many followers hold something.
  var held: @Sendable () async throws -> Int

  enum Implementation: String, CaseIterable, Sendable {
    case manual
    #if os(Linux)
      case netlink
    #endif

    /// The implementations that can be tried here: the kernel must let a test have a network of its
    /// own.
    static func available() async -> [Implementation] {
      #if os(Linux)
        await NetworkNamespace.isAvailable() ? [.manual, .netlink] : [.manual]
      #else
        [.manual]
      #endif
    }

    /// It is up when this returns.
    func make() async throws -> ConnectivityUnderTest {
      switch self {
      case .manual: .manual()
      #if os(Linux)
        case .netlink: try await .netlink()
      #endif
      }
    }
  }

  private static func manual() -> ConnectivityUnderTest {
    let network = ManualConnectivity()
    return ConnectivityUnderTest(
      follow: { network.paths() }, set: { network.set(isUp: $0) }, move: { network.move() },
      held: { network.followers })
  }

  #if os(Linux)
    private static func netlink() async throws -> ConnectivityUnderTest {
      let namespace = try await NetworkNamespace()
      try await namespace.makeCable()
      let moves = Mutex(0)
      return ConnectivityUnderTest(
        follow: { try await namespace.inside { NetlinkConnectivity().paths() } },
        set: { try await namespace.ip("link", "set", "far", $0 ? "up" : "down") },
        move: {
          let host = moves.withLock { moves in
            moves += 1
            return moves
          }
          try await namespace.ip("addr", "add", "198.51.100.\(host)/24", "dev", "near")
        },
        held: { try await namespace.listeners() })
    }
  #endif
}

#if os(Linux)
  extension NetworkNamespace {
    /// Makes a link `near` that is up, with an address, on a cable whose other end is `far`.
    func makeCable() async throws {
      try await ip("link", "add", "near", "type", "veth", "peer", "far")
      try await ip("addr", "add", "192.0.2.7/24", "dev", "near")
      try await ip("link", "set", "near", "up")
      try await ip("link", "set", "far", "up")
      let paths = try await inside { NetlinkConnectivity().paths() }
      for await path in paths where path.isUp { break }
    }
  }
#endif
