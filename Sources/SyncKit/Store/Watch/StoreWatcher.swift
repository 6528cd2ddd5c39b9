internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Tells that some process wrote to a store, as soon as it does. What was written, and whether by
/// this process itself, shows `LocalStore.changesSince`.
public struct StoreWatcher: Sendable {
  private let path: String

  /// - Parameter path: the store's.
  public init(path: String) { self.path = path }

  /// An element at once, as what was written before is not known, and then one once something was
  /// written, removed, or put in the store's place; many writes may be one element. Some come again
  /// within seconds, as a write is told before its commit can be seen.
  ///
  /// It ends where the store's directory is gone, and at once, after the first element, where it
  /// cannot be watched: the system has no watches left, or the store has no file. On file systems
  /// that other machines write to, what those write is not told. Ending the iteration gives back
  /// the descriptors.
  public func changes() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      continuation.yield()
      #if os(Linux)
        follow(continuation)
      #elseif canImport(Darwin)
        VnodeFollower.start(path: path, continuation)
      #else
        continuation.finish()
      #endif
    }
  }

  #if os(Linux)
    private func follow(_ continuation: AsyncStream<Void>.Continuation) {
      guard let inotify = Inotify(places: StoreFiles(path: path).places) else {
        return continuation.finish()
      }
      let echo = Echo(continuation, label: "syncd.store-echo")
      // A write may be under way already.
      echo.note()
      let descriptor = inotify.descriptor
      let state = Mutex(inotify)
      let watch = DescriptorWatch(descriptor, label: "syncd.store-watcher") {
        let seen = state.withLock { $0.read() }
        if seen != .nothing { echo.note() }
        if seen == .end { continuation.finish() }
        return seen != .end
      }
      continuation.onTermination = { _ in watch.cancel() }
    }
  #endif
}

/// The files whose changes are the store's.
struct StoreFiles {
  /// A directory, and the names in it that matter.
  struct Place: Equatable {
    var directory: String
    var names: Set<String>
  }

  let places: [Place]

  /// Where the path is a link, both the link and what it leads to may be replaced. The shared memory
  /// is no sign: readers write to it.
  init(path: String) {
    let file = Self.split(FileSystem.resolve(path))
    var places = [Place(directory: file.directory, names: [file.name, file.name + "-wal"])]
    let link = Self.split(path)
    let linkDirectory = FileSystem.resolve(link.directory)
    if linkDirectory == file.directory {
      places[0].names.insert(link.name)
    } else {
      places.append(Place(directory: linkDirectory, names: [link.name]))
    }
    self.places = path == ":memory:" ? [] : places
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    return (directory, String(path[path.utf8.index(after: slash)...]))
  }
}
