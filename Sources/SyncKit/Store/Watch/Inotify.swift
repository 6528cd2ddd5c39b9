#if os(Linux)
  internal import Glibc

  /// Watches some files for writes, and their directories for files that come in their place. What
  /// is written to other files there, such as a log, wakes nobody.
  struct Inotify: Sendable {
    let descriptor: Int32
    /// The directories, each by its watch.
    private var places: [Int32: StoreFiles.Place] = [:]
    private var files: Set<Int32> = []

    private static let names = UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
    private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO)
    private static let ends = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)
    private static let lost = UInt32(IN_Q_OVERFLOW)

    /// - Returns: nil where one of the directories cannot be watched, or there are none.
    init?(places: [StoreFiles.Place]) {
      guard !places.isEmpty else { return nil }
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      for place in places {
        let mask = Self.names | UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
        let watch = inotify_add_watch(descriptor, place.directory, mask)
        guard watch >= 0 else {
          close(descriptor)
          return nil
        }
        self.places[watch] = place
      }
      watchFiles()
    }

    /// Watches the files that are there now. One that is watched already stays so.
    private mutating func watchFiles() {
      for place in places.values {
        for name in place.names {
          let path = place.directory + "/" + name
          let watch = inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
          if watch >= 0 { files.insert(watch) }
        }
      }
    }

    enum Seen {
      case nothing
      case change
      /// A directory is gone; no more is told of it.
      case end
    }

    /// Reads all there is.
    mutating func read() -> Seen {
      var seen = Seen.nothing
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 {
          let more = look(buffer[..<count])
          if more == .end { return .end }
          if more != .nothing { seen = more }
        } else if count < 0, errno == EAGAIN {
          return seen
        } else if count == 0 || errno != EINTR {
          return .end
        }
      }
    }

    /// Reads events: `struct inotify_event` is watch (4), mask (4), cookie (4), length (4), a name
    /// filled up with zeros.
    mutating func look(_ bytes: ArraySlice<UInt8>) -> Seen {
      var rest = bytes
      var seen = Seen.nothing
      var mayHaveCome = false
      while let watch = rest.integer(at: 0, as: Int32.self),
        let mask = rest.integer(at: 4, as: UInt32.self),
        let length = rest.integer(at: 12, as: UInt32.self).map(Int.init)
      {
        let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
        rest = rest.dropFirst(16 + length)
        if mask & Self.lost != 0 {
          seen = .change
          mayHaveCome = true
        } else if let place = places[watch] {
          if mask & Self.ends != 0 { return .end }
          guard place.names.contains(String(decoding: name, as: UTF8.self)) else { continue }
          seen = .change
          if mask & Self.arrivals != 0 { mayHaveCome = true }
        } else if files.contains(watch) {
          seen = .change
          if mask & UInt32(IN_IGNORED) != 0 { files.remove(watch) }
        }
      }
      // Before anyone is told, who then sees what was written up to now.
      if mayHaveCome { watchFiles() }
      return seen
    }
  }
#endif
