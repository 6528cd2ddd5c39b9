#if os(Linux)
  internal import CLinux
  internal import Glibc
  internal import Synchronization

  /// The network as the Linux kernel tells it, over a netlink socket for each follower. The socket
  /// belongs to the network namespace of the thread that calls `paths()`.
  public struct NetlinkConnectivity: Connectivity {
    /// Bytes that the kernel keeps for a follower; nil for its default.
    private let receiveBuffer: Int32?

    public init() { receiveBuffer = nil }

    package init(receiveBuffer: Int32) { self.receiveBuffer = receiveBuffer }

    public func paths() -> AsyncStream<NetworkPath> {
      AsyncStream(bufferingPolicy: .bufferingNewest(followedPaths)) { continuation in
        guard let descriptor = NetlinkSocket.open(receiveBuffer: receiveBuffer) else {
          continuation.yield(.unknown)
          return
        }
        let follower = NetlinkFollower(descriptor, continuation)
        let watch = DescriptorWatch(descriptor, label: "syncd.network") { follower.read() }
        continuation.onTermination = { _ in watch.cancel() }
      }
    }
  }

  extension Connectivity where Self == NetlinkConnectivity {
    /// The network of this machine.
    public static var system: NetlinkConnectivity { NetlinkConnectivity() }
  }

  /// Reads one socket, and hands on what it learns.
  private final class NetlinkFollower: Sendable {
    private let descriptor: Int32
    private let continuation: AsyncStream<NetworkPath>.Continuation
    private let dialogue = Mutex(NetlinkDialogue())

    init(_ descriptor: Int32, _ continuation: AsyncStream<NetworkPath>.Continuation) {
      self.descriptor = descriptor
      self.continuation = continuation
      dialogue.withLock { dialogue in
        if !NetlinkSocket.send(dialogue.start(), to: descriptor) { dialogue.overrun() }
      }
    }

    /// Reads all there is.
    ///
    /// - Returns: whether there may be more some day.
    func read() -> Bool {
      var buffer = [UInt8](repeating: 0, count: NetlinkSocket.datagramBytes)
      return dialogue.withLock { dialogue in
        while true {
          var request: [UInt8]?
          switch NetlinkSocket.receive(descriptor, &buffer) {
          case .datagram(let count):
            let step = dialogue.receive(buffer[..<count])
            for path in step.paths { continuation.yield(path) }
            request = step.request
          case .foreign: continue
          case .lost: dialogue.overrun()
          case .nothing:
            request = dialogue.drained()
            if request == nil { return true }
          case .failed: dialogue.refuse()
          }
          if let request, !NetlinkSocket.send(request, to: descriptor) { dialogue.refuse() }
          if dialogue.isRefused {
            continuation.yield(.unknown)
            return false
          }
        }
      }
    }
  }

  extension NetworkPath {
    /// Where the system does not tell.
    fileprivate static let unknown = NetworkPath(isUp: true, signature: 0)
  }
#endif
