#if canImport(Darwin)
  @preconcurrency internal import Dispatch
  internal import Darwin
  internal import Synchronization

  /// Follows a store's directory and its write-ahead log, where every write goes first.
  ///
  /// The store's file itself is not opened: closing it would drop the POSIX locks that SQLite holds
  /// on it in this process.
  final class VnodeFollower: Sendable {
    private struct Sources {
      var directories: [any DispatchSourceFileSystemObject] = []
      var log: (any DispatchSourceFileSystemObject)?
      var isOver = false
    }

    private let logPath: String
    private let continuation: AsyncStream<Void>.Continuation
    private let echo: Echo
    private let sources = Mutex(Sources())
    private let queue = DispatchQueue(label: "syncd.store-watcher")

    private init(_ path: String, _ continuation: AsyncStream<Void>.Continuation) {
      logPath = FileSystem.resolve(path) + "-wal"
      self.continuation = continuation
      echo = Echo(continuation, label: "syncd.store-echo")
    }

    static func start(path: String, _ continuation: AsyncStream<Void>.Continuation) {
      let places = StoreFiles(path: path).places
      guard !places.isEmpty else { return continuation.finish() }
      let follower = VnodeFollower(path, continuation)
      continuation.onTermination = { _ in follower.stop() }
      for place in places where !follower.followDirectory(place.directory) {
        return continuation.finish()
      }
      follower.followLog()
      // A write may be under way already.
      follower.echo.note()
    }

    private func followDirectory(_ path: String) -> Bool {
      let source = makeSource(path) { [self] event in
        followLog()
        echo.note()
        if !event.isDisjoint(with: [.delete, .rename, .revoke]) { continuation.finish() }
      }
      guard let source else { return false }
      sources.withLock { $0.directories.append(source) }
      return true
    }

    /// Follows the log that is there now; where there is none, the directory tells when there is.
    private func followLog() {
      let source = makeSource(logPath) { [self] event in
        if !event.isDisjoint(with: [.delete, .rename]) { followLog() }
        echo.note()
      }
      let former = sources.withLock { sources in
        if sources.isOver { return source }
        defer { sources.log = source }
        return sources.log
      }
      former?.cancel()
    }

    private func makeSource(
      _ path: String, _ handle: @escaping @Sendable (DispatchSource.FileSystemEvent) -> Void
    ) -> (any DispatchSourceFileSystemObject)? {
      guard let descriptor = FileSystem.open(path, O_EVTONLY) else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename, .revoke],
        queue: queue)
      source.setEventHandler { handle(source.data) }
      source.setCancelHandler { close(descriptor) }
      source.activate()
      return source
    }

    private func stop() {
      let ended = sources.withLock { sources in
        let ended = sources.directories + (sources.log.map { [$0] } ?? [])
        sources = Sources(isOver: true)
        return ended
      }
      for source in ended { source.cancel() }
    }
  }
#endif
