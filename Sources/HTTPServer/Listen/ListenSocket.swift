#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A bound and listening socket.
package struct ListenSocket: Sendable {
  let descriptor: Int32
  let isIPv6: Bool
  /// Whether only this machine can reach it.
  package let isLoopback: Bool
  /// What stands before the path in its URLs, without the scheme where there is a choice of two:
  /// `//HOST:PORT` with the port that the system gave, or `unix:PATH:`.
  private let place: String
  /// The file of a unix socket that was made here.
  let file: SocketFile?

  init(descriptor: Int32, isIPv6: Bool, isLoopback: Bool, place: String, file: SocketFile?) {
    self.descriptor = descriptor
    self.isIPv6 = isIPv6
    self.isLoopback = isLoopback
    self.place = place
    self.file = file
  }

  /// Whether it is a unix socket, which the rights of its file guard.
  package var isUnix: Bool { place.hasPrefix("unix:") }

  /// What stands before the path in its URLs: `http://127.0.0.1:8383`, `unix:/run/x.sock:`.
  package func origin(isTLS: Bool = false) -> String {
    isUnix ? place : "\(isTLS ? "https" : "http"):\(place)"
  }

  /// Listens on a TCP address.
  ///
  /// - Parameter address: `HOST:PORT`, `[V6]:PORT`; port 0 lets the system pick one.
  /// - Throws: `ListenError`.
  package init(_ address: String) throws(ListenError) {
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
      throw ListenError(.address, "cannot listen on \(address): \(reason)")
    }
    defer { freeaddrinfo(found) }
    // A name such as localhost may have both; clients are told the name, and IPv4 is the safer bet.
    var chosen = first
    while chosen.pointee.ai_family != AF_INET, let next = chosen.pointee.ai_next { chosen = next }
    if chosen.pointee.ai_family != AF_INET { chosen = first }
    isIPv6 = chosen.pointee.ai_family == AF_INET6
    isLoopback = Self.isLoopback(chosen.pointee.ai_addr, family: chosen.pointee.ai_family)

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
    let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    place = "//\(shown):\(bound)"
    file = nil
  }

  /// For a socket that no daemon was started on.
  package func close() {
    removeFile()
    Self.close(descriptor)
  }

  /// Removes the socket's file, if there is one and it is still this socket's.
  func removeFile() {
    file?.remove()
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// Takes an address apart.
  ///
  /// - Throws: `ListenError` with `.usage` when it is none.
  package static func split(
    _ address: String
  ) throws(ListenError) -> (host: String, port: String) {
    guard let colon = address.utf8.lastIndex(of: UInt8(ascii: ":")) else {
      throw ListenError(.usage, "listen: expected HOST:PORT, not \"\(address)\"")
    }
    var host = address[..<colon]
    let port = address[address.utf8.index(after: colon)...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, UInt16(port) != nil else {
      throw ListenError(
        .usage, "listen: expected HOST:PORT with a port up to 65535, not \"\(address)\"")
    }
    return (String(host), String(port))
  }

  static func failure(_ address: String) -> ListenError {
    ListenError(.address, "cannot listen on \(address): \(String(cString: strerror(errno)))")
  }

  static func isLoopback(_ address: UnsafePointer<sockaddr>?, family: Int32) -> Bool {
    guard let address = UnsafeRawPointer(address) else { return false }
    if family == AF_INET {
      let number = UInt32(bigEndian: address.load(as: sockaddr_in.self).sin_addr.s_addr)
      return number >> 24 == 127
    }
    guard family == AF_INET6 else { return false }
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
