#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The address of a unix socket.
struct UnixAddress {
  private var address = sockaddr_un()

  /// - Throws: `ListenError` for a path that is longer than the system can take.
  init(_ path: String) throws(ListenError) {
    let bytes = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else {
      throw ListenError(
        .configuration, "\(path): the path of a socket has 1 to \(room - 1) bytes; choose another")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  func bind(_ descriptor: Int32) -> Int32 {
    withPointer { pointer, size in
      #if canImport(Glibc)
        Glibc.bind(descriptor, pointer, size)
      #else
        Darwin.bind(descriptor, pointer, size)
      #endif
    }
  }

  func connect(_ descriptor: Int32) -> Int32 {
    withPointer { pointer, size in
      #if canImport(Glibc)
        Glibc.connect(descriptor, pointer, size)
      #else
        Darwin.connect(descriptor, pointer, size)
      #endif
    }
  }

  private func withPointer(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// A socket that does not block and that no child inherits; negative when there is none.
  static func makeSocket() -> Int32 {
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { return descriptor }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return descriptor
  }
}
