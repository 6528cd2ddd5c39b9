#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Blocking calls on a stream socket.
struct WireSocket: Sendable {
  let descriptor: Int32

  struct Failure: Error, CustomStringConvertible {
    var call: String
    var code: Int32

    var description: String { "\(call): \(String(cString: strerror(code)))" }
  }

  /// Listens on 127.0.0.1, on a port that the system picks.
  static func onLoopback() throws -> (socket: WireSocket, port: Int) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let socket = try make(AF_INET)
    try socket.attach(&address)
    try check("listen", listen(socket.descriptor, 128))
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(socket.descriptor, $0, &length)
      }
    }
    try check("getsockname", code)
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Listens on a socket file, at most 100 bytes of path.
  static func onFile(_ path: String) throws -> WireSocket {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count <= 100 else { throw Failure(call: path, code: ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let socket = try make(AF_UNIX)
    removeFile(path)
    try socket.attach(&address)
    try check("listen", listen(socket.descriptor, 128))
    return socket
  }

  static func removeFile(_ path: String) { unlink(path) }

  private static func make(_ family: Int32) throws -> WireSocket {
    #if canImport(Glibc)
      let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(family, SOCK_STREAM, 0)
    #endif
    try check("socket", descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return WireSocket(descriptor: descriptor)
  }

  private func attach<Address>(_ address: inout Address) throws {
    let length = socklen_t(MemoryLayout<Address>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length)
      }
    }
    try Self.check("bind", code)
  }

  private static func check(_ call: String, _ code: Int32) throws {
    if code < 0 { throw Failure(call: call, code: errno) }
  }

  /// Whether a connection waits, or the socket was shut, within a quarter of a second.
  func waitForConnection() -> Bool {
    var entry = pollfd(descriptor: descriptor)
    return poll(&entry, 1, 250) > 0
  }

  /// The next connection; nil when the socket was shut.
  func acceptNext() -> WireSocket? {
    while true {
      let accepted = accept(descriptor, nil, nil)
      if accepted >= 0 {
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
        #if canImport(Darwin)
          setsockopt(accepted, SOL_SOCKET, SO_NOSIGPIPE, &yes, size)
        #endif
        return WireSocket(descriptor: accepted)
      }
      if errno != EINTR && errno != ECONNABORTED { return nil }
    }
  }

  /// What has come, or nil at the end.
  func receive() -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// False when the peer does not take the bytes; `progress` hears of each piece that it took.
  func transmit(_ bytes: [UInt8], progress: (Int) -> Void) -> Bool {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer -> Int in
        let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...].prefix(65536))
        return send(descriptor, rest.baseAddress, rest.count, flags)
      }
      if count <= 0 { return false }
      progress(count)
      sent += count
    }
    return true
  }

  /// Whether the peer has closed, within a few milliseconds.
  func isClosedByPeer() -> Bool {
    var entry = pollfd(descriptor: descriptor)
    guard poll(&entry, 1, 3) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
  }

  /// Whether the connection is over both ways, within a few milliseconds, read or not.
  func isHungUp() -> Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 3) > 0
  }

  /// Makes the next `close` break the connection off.
  func armReset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Ends what is under way on the socket, from any thread.
  func shut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  func closeDescriptor() { _ = close(descriptor) }
}

extension pollfd {
  fileprivate init(descriptor: Int32) {
    self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }
}
