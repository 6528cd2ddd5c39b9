#if os(Linux)
  internal import CLinux
  internal import Glibc

  /// A socket on which the kernel tells of links, addresses and routes.
  enum NetlinkSocket {
    /// More than the kernel puts into one datagram.
    static let datagramBytes = 65_536

    private static let groups =
      UInt32(RTMGRP_LINK) | UInt32(RTMGRP_IPV4_IFADDR) | UInt32(RTMGRP_IPV6_IFADDR)
      | UInt32(RTMGRP_IPV4_ROUTE) | UInt32(RTMGRP_IPV6_ROUTE)

    /// - Returns: nil where the system has no socket to give, or a sandbox forbids it.
    static func open(receiveBuffer: Int32?) -> Int32? {
      let descriptor = syncd_netlink_open()
      guard descriptor >= 0 else { return nil }
      if var bytes = receiveBuffer {
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
      }
      if syncd_netlink_bind(descriptor, groups) == 0 { return descriptor }
      close(descriptor)
      return nil
    }

    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
      while true {
        // Without an address it goes to the kernel.
        let count = Glibc.send(descriptor, bytes, bytes.count, 0)
        if count == bytes.count { return true }
        if count >= 0 || errno != EINTR { return false }
      }
    }

    enum Received {
      case datagram(Int)
      /// Another process wrote it.
      case foreign
      /// The kernel dropped some, or this one did not fit.
      case lost
      case nothing
      case failed
    }

    static func receive(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Received {
      var sender = sockaddr_nl()
      var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      let count = withUnsafeMutablePointer(to: &sender) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          recvfrom(
            descriptor, &buffer, buffer.count, Int32(MSG_TRUNC), address, &length)
        }
      }
      if count < 0 {
        return switch errno {
        case EINTR: .foreign
        case EAGAIN: .nothing
        case ENOBUFS: .lost
        default: .failed
        }
      }
      if sender.nl_pid != 0 { return .foreign }
      return count <= buffer.count ? .datagram(count) : .lost
    }
  }
#endif
