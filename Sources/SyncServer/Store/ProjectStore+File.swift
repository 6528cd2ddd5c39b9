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
      throw ServerError(.store, "\(path): its directory cannot be made: \(FileSystem.reason)")
    }
    // SQLite opens a file that may not be written all the same, and fails at the first write.
    guard FileSystem.makeFile(path), access(path, R_OK | W_OK) == 0 else {
      throw ServerError(.store, "\(path): \(FileSystem.reason)")
    }
  }
}
