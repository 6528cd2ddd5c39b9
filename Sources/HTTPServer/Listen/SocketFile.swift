#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file of a unix socket, known by its inode: another service may put its own in its place.
struct SocketFile: Sendable, Equatable {
  let path: String
  private let device: UInt64
  private let inode: UInt64

  /// - Returns: nil when there is no socket at the path.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    self.path = path
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// Removes the file unless it is another one by now.
  func remove() {
    if SocketFile(path) == self { unlink(path) }
  }
}
