#if canImport(Network)
  internal import Dispatch
  internal import Network
  internal import Synchronization

  /// The network as Apple's systems tell it.
  public struct PathMonitorConnectivity: Connectivity {
    public init() {}

    public func paths() -> AsyncStream<NetworkPath> {
      AsyncStream(bufferingPolicy: .bufferingNewest(followedPaths)) { continuation in
        let monitor = NWPathMonitor()
        let last = LastPath()
        monitor.pathUpdateHandler = { path in
          let path = NetworkPath(path)
          if last.isAnother(path) { continuation.yield(path) }
        }
        continuation.onTermination = { _ in monitor.cancel() }
        monitor.start(queue: DispatchQueue(label: "syncd.network"))
      }
    }
  }

  extension Connectivity where Self == PathMonitorConnectivity {
    /// The network of this machine.
    public static var system: PathMonitorConnectivity { PathMonitorConnectivity() }
  }

  /// What was told last; the system tells some states twice.
  private final class LastPath: Sendable {
    private let path = Mutex<NetworkPath?>(nil)

    func isAnother(_ next: NetworkPath) -> Bool {
      path.withLock { path in
        defer { path = next }
        return path != next
      }
    }
  }

  extension NetworkPath {
    fileprivate init(_ path: NWPath) {
      var hasher = Hasher()
      for interface in path.availableInterfaces {
        hasher.combine(interface.index)
        hasher.combine(interface.name)
      }
      hasher.combine(path.gateways)
      hasher.combine(path.supportsIPv4)
      hasher.combine(path.supportsIPv6)
      self.init(
        isUp: path.status == .satisfied,
        signature: UInt64(truncatingIfNeeded: hasher.finalize()))
    }
  }
#endif
