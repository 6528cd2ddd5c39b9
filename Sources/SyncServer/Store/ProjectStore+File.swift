internal import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension ProjectStore {
  /// Makes the file with rights for its owner alone, before SQLite would with those of the umask.
  static func createPrivately(_ path: String) throws(ServerError) {
    guard FileSystem.makeDirectories(for: path) else {
      throw ServerError(
        .store, "\(path): its directory cannot be made: \(String(cString: strerror(errno)))")
    }
    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ServerError(.store, "\(path): \(String(cString: strerror(errno)))")
    }
    close(descriptor)
  }
}
