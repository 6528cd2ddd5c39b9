#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A bound and listening TCP socket.
struct ListenSocket {
  let descriptor: Int32
  let isIPv6: Bool
  /// Whether only this machine can reach it.
  let isLoopback: Bool
  /// `HOST:PORT` as a URL has it, with the port that the system gave.
  let authority: String

  /// - Parameter address: `HOST:PORT`, `[V6]:PORT`.
  /// - Throws: `ServerError`.
  init(_ address: String) throws(ServerError) {
    let (host, port) = try Self.split(address)
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, port, &hints, &found)
    guard code == 0, let first = found else {
      let reason = String(cString: gai_strerror(code))
      throw ServerError(.address, "cannot listen on \(address): \(reason)")
    }
    defer { freeaddrinfo(found) }
    // A name such as localhost may have both; clients are told the name, and IPv4 is the safer bet.
    var chosen = first
    while chosen.pointee.ai_family != AF_INET, let next = chosen.pointee.ai_next { chosen = next }
    if chosen.pointee.ai_family != AF_INET { chosen = first }
    isIPv6 = chosen.pointee.ai_family == AF_INET6
    isLoopback = Self.isLoopback(chosen.pointee)

    descriptor = socket(
      chosen.pointee.ai_family, chosen.pointee.ai_socktype, chosen.pointee.ai_protocol)
    guard descriptor >= 0 else { throw Self.failure(address) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
      fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
      bind(descriptor, chosen.pointee.ai_addr, chosen.pointee.ai_addrlen) == 0,
      listen(descriptor, SOMAXCONN) == 0
    else {
      let error = Self.failure(address)
      Self.close(descriptor)
      throw error
    }
    let bound = Self.boundPort(descriptor)
    authority = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(bound)" : "\(host):\(bound)"
  }

  /// For a socket that no daemon was started on.
  func close() {
    Self.close(descriptor)
  }

  private static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// Takes an address apart.
  ///
  /// - Throws: `ServerError` with `.usage` when it is none.
  static func split(
    _ address: String
  ) throws(ServerError) -> (host: String, port: String) {
    guard let colon = address.utf8.lastIndex(of: UInt8(ascii: ":")) else {
      throw ServerError(.usage, "listen: expected HOST:PORT, not \"\(address)\"")
    }
    var host = address[..<colon]
    let port = address[address.utf8.index(after: colon)...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, UInt16(port) != nil else {
      throw ServerError(
        .usage, "listen: expected HOST:PORT with a port up to 65535, not \"\(address)\"")
    }
    return (String(host), String(port))
  }

  private static func failure(_ address: String) -> ServerError {
    ServerError(.address, "cannot listen on \(address): \(String(cString: strerror(errno)))")
  }

  private static func isLoopback(_ info: addrinfo) -> Bool {
    let address = UnsafeRawPointer(info.ai_addr)
    if info.ai_family == AF_INET, let address {
      let number = UInt32(bigEndian: address.load(as: sockaddr_in.self).sin_addr.s_addr)
      return number >> 24 == 127
    }
    guard info.ai_family == AF_INET6, let address else { return false }
    return withUnsafeBytes(of: address.load(as: sockaddr_in6.self).sin6_addr) { bytes in
      bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
    }
  }

  private static func boundPort(_ descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      guard let start = bytes.baseAddress,
        getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &size) == 0
      else { return 0 }
      // The port is at the same place in both families.
      return UInt16(bigEndian: start.load(as: sockaddr_in.self).sin_port)
    }
  }
}
