#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A directory that holds one store, in memory where the system can.
final class Folder {
  let path: String

  init() {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/syncd-simulation-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("no room for a store") }
    path = String(cString: made)
  }

  deinit {
    for suffix in Self.suffixes + ["-shm"] { unlink(store + suffix) }
    rmdir(path)
  }

  var store: String { path + "/s" }

  /// The store, its journal (while it is made), its log and its sidecar.
  static let suffixes = ["", "-journal", "-wal", ".lock"]

  func read(_ suffix: String) -> [UInt8]? {
    let descriptor = open(store + suffix, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { return nil }
    let size = Int(info.st_size)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = size == 0 ? 0 : max(0, pread(descriptor, buffer.baseAddress, size, 0))
    }
  }

  func write(_ suffix: String, _ bytes: [UInt8]?) {
    guard let bytes else { return }
    let descriptor = open(store + suffix, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "no room for a store")
    _ = pwrite(descriptor, bytes, bytes.count, 0)
    close(descriptor)
  }

  /// A folder that holds the same as this one does now.
  func copy() -> Folder {
    let copy = Folder()
    for suffix in Self.suffixes { copy.write(suffix, read(suffix)) }
    return copy
  }
}
