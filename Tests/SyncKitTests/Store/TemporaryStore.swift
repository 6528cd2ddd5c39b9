import SyncKit
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A directory of a test's own, which goes when the test ends.
final class StoreDirectory: Sendable {
  let path: String

  /// - Parameter isFast: whether it may be in memory, where nothing outlives the machine.
  init(isFast: Bool = false) throws {
    let parent = isFast && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/syncd-store-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    path = String(cString: made)
  }

  deinit { Self.remove(path) }

  func file(_ name: String) -> String { path + "/" + name }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { remove(path + "/" + name) }
      }
      closedir(directory)
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}

/// A store in a directory of its own, and ways to reach its file as other programs do.
struct TemporaryStore {
  let directory: StoreDirectory
  let path: String

  init(isFast: Bool = false) throws {
    directory = try StoreDirectory(isFast: isFast)
    path = directory.file("projects.db")
  }

  func open(
    _ access: LocalStore.Access = .readWrite, busyTimeout: Duration = .seconds(5)
  ) throws -> LocalStore {
    try LocalStore(path: path, access: access, busyTimeout: busyTimeout)
  }

  /// Makes the store, and connects to it as any program may.
  func connect(recursiveTriggers: Bool = false) throws -> Database {
    _ = try open()
    let database = try Database(path: path)
    if recursiveTriggers { try database.execute("PRAGMA recursive_triggers=ON") }
    return database
  }

  var bytes: [UInt8]? { FileSystem.read(path) }

  func overwrite(_ bytes: [UInt8]) -> Bool {
    FileSystem.overwrite(path, with: bytes, durably: false)
  }

  /// Copies the store's files as they are now, as a crash or a backup would leave them.
  func copy(to other: TemporaryStore) {
    for suffix in ["", "-wal"] {
      unlink(other.path + suffix)
      if let bytes = FileSystem.read(path + suffix) {
        _ = FileSystem.overwrite(other.path + suffix, with: bytes, durably: false)
      }
    }
    unlink(other.path + "-shm")
  }
}

extension Database {
  /// Every row of a query, its columns as text; NULL is `-`.
  func rows(_ sql: String, columns: Int32) throws -> [[String]] {
    let statement = try prepare(sql)
    defer { statement.reset() }
    var rows: [[String]] = []
    while try statement.step() {
      rows.append((0..<columns).map { statement.optionalText($0) ?? "-" })
    }
    return rows
  }

  func stamp(_ id: String) throws -> Int64 {
    try #require(try integer("SELECT updated_at FROM projects WHERE id=?", [.text(id)]))
  }
}

func projectID(_ text: String) throws -> ProjectID { try ProjectID(text) }

/// The error that `body` throws.
func storeError(_ body: () async throws -> Void) async throws -> SyncError {
  do {
    try await body()
  } catch let error as SyncError {
    return error
  }
  throw Expected()
}

private struct Expected: Error {}

extension LocalStore {
  /// Runs SQL on the store's own connection.
  func execute(_ sql: String) throws { try database.execute(sql) }

  func integer(_ sql: String) throws -> Int64? { try database.integer(sql) }
}
