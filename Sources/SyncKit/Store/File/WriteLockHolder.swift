#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process that holds a database's write lock, as the kernel's table of locks tells it.
///
/// The file is not opened to ask: closing it would drop the POSIX locks that this process has on it.
struct WriteLockHolder: Equatable {
  var pid: Int32
  var name: String?

  /// The byte of the shared memory that SQLite locks to write to a write-ahead log; a part of its
  /// file format (`WAL_WRITE_LOCK`).
  private static let lockedByte: UInt64 = 120

  /// - Returns: nil when nobody else holds it, or the system has no such table.
  static func find(storePath: String) -> WriteLockHolder? {
    guard let memory = FileState(path: storePath + "-shm"),
      let table = FileSystem.read("/proc/locks")
    else { return nil }
    for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
      guard let pid = writer(of: memory, in: line), pid != getpid() else { continue }
      let name = FileSystem.read("/proc/\(pid)/comm").map { String(decoding: $0, as: UTF8.self) }
      return WriteLockHolder(pid: pid, name: name?.split(separator: "\n").first.map(String.init))
    }
    return nil
  }

  /// Reads a line such as `1: POSIX  ADVISORY  WRITE 4711 fe:00:131075 120 120`.
  private static func writer(of memory: FileState, in line: Substring) -> Int32? {
    let words = line.split(separator: " ")
    guard words.count >= 8, words[1] == "POSIX", words[3] == "WRITE",
      words[5].hasSuffix(":\(memory.inode)"), let first = UInt64(words[6]), first <= lockedByte,
      words[7] == "EOF" || UInt64(words[7]).map({ $0 >= lockedByte }) == true
    else { return nil }
    return Int32(words[4])
  }
}
