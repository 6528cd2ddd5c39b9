#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A datagram socket that a service manager listens on: a path, or a name behind `@` that is in no
/// file system.
struct NotifyAddress: Sendable, Equatable {
  let name: String

  /// Nil for what is neither, and for what is too long to be an address.
  init?(_ name: String) {
    guard name.hasPrefix("/") || name.hasPrefix("@"), (2...Self.capacity).contains(name.utf8.count)
    else { return nil }
    self.name = name
  }

  /// Bytes of a path that an address holds beside its end.
  private static let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// - Returns: whether it was taken. A manager that does not read keeps us waiting for a second.
  @discardableResult
  func send(_ message: [UInt8]) -> Bool {
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // A timeval; its members are not to be had where the standard library is linked statically.
    let patience = [1, 0]
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, patience, socklen_t(MemoryLayout<timeval>.size))
    var (address, length) = makeAddress()
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        sendto(descriptor, message, message.count, 0, pointer, length)
      }
    }
    return sent == message.count
  }

  private func makeAddress() -> (sockaddr_un, socklen_t) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(name.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    // The null byte in front says that the name is in no file system; it has no end of its own.
    if bytes.first == UInt8(ascii: "@") {
      withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 }
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let isAbstract = bytes.first == UInt8(ascii: "@")
    return (address, socklen_t(start + bytes.count + (isAbstract ? 0 : 1)))
  }
}
