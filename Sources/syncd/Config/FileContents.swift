#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Small files as a whole, large ones in pieces, with the system's reason when it fails.
enum FileContents {
  struct Failure: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    var reason: String { String(cString: strerror(code)) }
    var description: String { "\(path): \(reason)" }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The permission bits of a file; nil when there is none.
  static func mode(of path: String) -> UInt32? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt32(status.st_mode) & 0o7777 : nil
  }

  static func text(of path: String) throws(Failure) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while case let chunk = try read(descriptor, path: path), !chunk.isEmpty {
      bytes += chunk
      if bytes.count > 1 << 20 { throw Failure(path: path, code: EFBIG) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The next bytes of a descriptor; none at its end.
  static func read(
    _ descriptor: Int32, path: String, count: Int = 1 << 16
  ) throws(Failure) -> [UInt8] {
    var code: Int32 = 0
    let chunk = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      var got = -1
      repeat {
        #if canImport(Glibc)
          got = Glibc.read(descriptor, buffer.baseAddress, count)
        #else
          got = Darwin.read(descriptor, buffer.baseAddress, count)
        #endif
      } while got < 0 && errno == EINTR
      if got < 0 { code = errno }
      filled = max(0, got)
    }
    if code != 0 { throw Failure(path: path, code: code) }
    return chunk
  }

  /// The path from the root of the file system.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }

  /// Creates a file that only its owner can read, and its directory.
  ///
  /// - Throws: `Failure` with `EEXIST` when there is one already.
  static func create(_ path: String, text: String) throws(Failure) {
    try createDirectory(of: path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    defer { close(descriptor) }
    do {
      let sink = OutputSink(descriptor: descriptor)
      try sink.write(text.utf8)
      try sink.flush()
    } catch {
      throw Failure(path: path, code: error.code)
    }
  }

  private static func createDirectory(of path: String) throws(Failure) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let directory = String(path[..<slash])
    if exists(directory) { return }
    try createDirectory(of: directory)
    if mkdir(directory, 0o700) != 0, errno != EEXIST {
      throw Failure(path: directory, code: errno)
    }
  }
}
