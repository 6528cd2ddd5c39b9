#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension ListenSocket {
  /// Takes over a socket that whoever started the process listens on already. Its file, if it has
  /// one, stays: it is not this process's.
  ///
  /// - Throws: `ListenError` when the descriptor is no listening stream socket.
  package init(inherited descriptor: Int32) throws(ListenError) {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size) == 0
      }
    }
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    guard isNamed, Self.option(SO_TYPE, of: descriptor) == stream,
      Self.option(SO_ACCEPTCONN, of: descriptor) != 0
    else {
      throw ListenError(
        .configuration, "descriptor \(descriptor) is no socket that listens for connections")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    let (place, isLoopback) = try Self.describe(&address, Int(size), descriptor)
    self.init(
      descriptor: descriptor, isIPv6: Int32(address.ss_family) == AF_INET6,
      isLoopback: isLoopback, place: place, file: nil)
  }

  /// The option's value; 0 where it cannot be had.
  private static func option(_ name: Int32, of descriptor: Int32) -> Int32 {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : 0
  }

  private static func describe(
    _ address: inout sockaddr_storage, _ size: Int, _ descriptor: Int32
  ) throws(ListenError) -> (place: String, isLoopback: Bool) {
    let family = Int32(address.ss_family)
    return try withUnsafeMutableBytes(of: &address) { bytes throws(ListenError) in
      guard let start = bytes.baseAddress else { return ("//", false) }
      switch family {
      case AF_UNIX:
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let path = bytes[min(offset, size)..<size].prefix { $0 != 0 }
        return ("unix:\(String(decoding: path, as: UTF8.self)):", true)
      case AF_INET, AF_INET6:
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let generic = start.assumingMemoryBound(to: sockaddr.self)
        getnameinfo(
          generic, socklen_t(size), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
        let text = host.withUnsafeBufferPointer { buffer in
          buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        let port = UInt16(bigEndian: start.load(as: sockaddr_in.self).sin_port)
        return (
          family == AF_INET ? "//\(text):\(port)" : "//[\(text)]:\(port)",
          isLoopback(generic, family: family)
        )
      default:
        throw ListenError(
          .configuration, "descriptor \(descriptor) is a socket of a family that is not served")
      }
    }
  }
}
