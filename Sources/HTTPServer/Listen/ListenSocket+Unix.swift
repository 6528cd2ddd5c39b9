#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension ListenSocket {
  /// Listens on a unix socket that its owner alone may use.
  ///
  /// The directory is made, for its owner alone, where there is none. A file that a service left
  /// behind is replaced; one on which a service answers, or that is no socket, is not touched.
  ///
  /// The socket is bound within a directory of its own and moved to its place once its rights are
  /// set: so it is never there with wider ones, and no umask changes under the other threads.
  ///
  /// - Throws: `ListenError`, with `.occupied` when another service answers there.
  package init(unix path: String) throws(ListenError) {
    _ = try UnixAddress(path)
    let (directory, name) = Self.split(path: path)
    guard !name.isEmpty else {
      throw ListenError(.configuration, "\(path): names no file for the socket")
    }
    try Self.makeDirectory(directory)
    let turn = try Turn(directory, socket: path)
    defer { turn.end() }
    try Self.checkPlace(path)
    let made = try Self.bind(in: directory, path)
    guard let file = SocketFile(path) else {
      Self.close(made)
      throw ListenError(.address, "cannot listen on \(path): somebody removed the socket")
    }
    self.init(
      descriptor: made, isIPv6: false, isLoopback: true, place: "unix:\(path):", file: file)
  }

  private static func split(path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let directory = path[..<slash]
    return (directory.isEmpty ? "/" : String(directory), String(path[slash...].dropFirst()))
  }

  private static func makeDirectory(_ path: String) throws(ListenError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let parent = split(path: path).directory
    if errno == ENOENT, parent != path, parent != "." {
      try makeDirectory(parent)
      if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    }
    throw ListenError(
      .address, "cannot make the directory \(path): \(String(cString: strerror(errno)))")
  }

  // MARK: What is there already

  private static func checkPlace(_ path: String) throws(ListenError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw failure(path)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ListenError(
        .address, "\(path) is there and is no socket; it is left alone: move it, or choose another")
    }
    let probe = UnixAddress.makeSocket()
    guard probe >= 0 else { throw failure(path) }
    defer { close(probe) }
    guard try UnixAddress(path).connect(probe) != 0 else { throw occupied(path) }
    switch errno {
    case ECONNREFUSED, ENOENT: return
    // It listens, and its queue is full.
    case EAGAIN, EINPROGRESS: throw occupied(path)
    default: throw failure(path)
    }
  }

  private static func occupied(_ path: String) -> ListenError {
    ListenError(.occupied, "another service answers at \(path)")
  }

  // MARK: Making it

  private static func bind(in directory: String, _ path: String) throws(ListenError) -> Int32 {
    var template = Array("\(directory)/.XXXXXX".utf8CString)
    let isMade = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { mkdtemp($0) != nil }
    }
    guard isMade == true else { throw failure(path) }
    let own = template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
    let temporary = "\(own)/s"
    defer {
      unlink(temporary)
      rmdir(own)
    }
    let address = try UnixAddress(temporary)
    let descriptor = UnixAddress.makeSocket()
    guard descriptor >= 0, address.bind(descriptor) == 0, chmod(temporary, 0o600) == 0,
      listen(descriptor, SOMAXCONN) == 0, rename(temporary, path) == 0
    else {
      let error = failure(path)
      if descriptor >= 0 { close(descriptor) }
      throw error
    }
    return descriptor
  }
}

/// The turn to put a socket into a directory: of two services that start at once, one has to see
/// the other.
private struct Turn {
  private let descriptor: Int32

  init(_ directory: String, socket path: String) throws(ListenError) {
    descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ListenSocket.failure(path) }
    // Not every file system has locks; then there is no turn to wait for.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      ListenSocket.close(descriptor)
      throw ListenError(.occupied, "another service is starting at \(path)")
    }
  }

  func end() { ListenSocket.close(descriptor) }
}
