#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The few things a store asks of the file system beside SQLite.
package enum FileSystem {
  /// Opens a file; it is closed in children that are started meanwhile.
  ///
  /// - Returns: a descriptor; nil when the system refuses, with the reason in `errno`.
  static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) -> Int32? {
    let descriptor = openFile(path, flags | O_CLOEXEC, mode)
    return descriptor >= 0 ? descriptor : nil
  }

  /// Reads a whole file, also one whose size the system does not tell.
  static func read(_ path: String) -> [UInt8]? {
    guard let descriptor = open(path, O_RDONLY) else { return nil }
    defer { close(descriptor) }
    return read(descriptor)
  }

  private static func read(_ descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = readFile(descriptor, &chunk, chunk.count)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// Writes the whole of a file in one call, so that a reader sees the old or the new text.
  ///
  /// - Parameter durably: whether it is on the disk when this returns.
  static func overwrite(_ path: String, with bytes: [UInt8], durably: Bool) -> Bool {
    guard let descriptor = open(path, O_RDWR | O_CREAT) else { return false }
    defer { close(descriptor) }
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
      ftruncate(descriptor, off_t(bytes.count)) == 0
    else { return false }
    return !durably || fsync(descriptor) == 0
  }

  /// Makes the directories that lead to `path`, for this user alone; those there are stay.
  ///
  /// - Returns: whether they are there now.
  package static func makeDirectories(for path: String) -> Bool {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
      return true
    }
    let directory = String(path[..<slash])
    if FileState(path: directory) != nil { return true }
    guard makeDirectories(for: directory) else { return false }
    return mkdir(directory, 0o700) == 0 || errno == EEXIST
  }

  /// Makes an empty file for this user alone, where there is none. One that is there is not opened: closing
  /// it would drop the locks that SQLite has on it in this process, see
  /// https://sqlite.org/howtocorrupt.html, 2.2.
  ///
  /// - Returns: false when the system refuses, with the reason in `errno`.
  package static func makeFile(_ path: String) -> Bool {
    guard let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL) else { return errno == EEXIST }
    close(descriptor)
    return true
  }

  /// The path without symbolic links; `path` itself where there is nothing yet.
  static func resolve(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// What the system says of its last refusal.
  package static var reason: String { String(cString: strerror(errno)) }
}

/// What tells that a file is another one, or was written to.
struct FileState: Equatable {
  var inode: UInt64
  var size: Int64
  /// Nanoseconds since 1970.
  var modified: Int64

  init(inode: UInt64, size: Int64, modified: Int64) {
    self.inode = inode
    self.size = size
    self.modified = modified
  }

  /// - Returns: nil when there is no such file.
  init?(path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    #if canImport(Darwin)
      let time = info.st_mtimespec
    #else
      let time = info.st_mtim
    #endif
    inode = UInt64(info.st_ino)
    size = Int64(info.st_size)
    modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func readFile(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
  read(descriptor, &buffer, count)
}
