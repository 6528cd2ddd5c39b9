#if os(Linux)
  internal import Glibc

  /// Watches directories for what happens to some of the files in them.
  struct Inotify: Sendable {
    let descriptor: Int32
    /// The names that matter, for each watch.
    private let names: [Int32: Set<String>]

    private static let fileEvents = UInt32(
      IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
    private static let ends = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)
    private static let lost = UInt32(IN_Q_OVERFLOW)

    /// - Returns: nil where one of the directories cannot be watched, or there are none.
    init?(places: [StoreFiles.Place]) {
      guard !places.isEmpty else { return nil }
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      var names: [Int32: Set<String>] = [:]
      for place in places {
        let mask = Self.fileEvents | UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
        let watch = inotify_add_watch(descriptor, place.directory, mask)
        guard watch >= 0 else {
          close(descriptor)
          return nil
        }
        names[watch, default: []].formUnion(place.names)
      }
      self.names = names
    }

    enum Seen {
      case nothing
      case change
      /// A directory is gone; no more is told of it.
      case end
    }

    /// Reads all there is.
    func read() -> Seen {
      var seen = Seen.nothing
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while seen != .end {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 {
          let more = Self.look(buffer[..<count], names)
          if more != .nothing { seen = more }
        } else if count < 0, errno == EAGAIN {
          break
        } else if count == 0 || errno != EINTR {
          return .end
        }
      }
      return seen
    }

    /// Reads events: `struct inotify_event` is watch (4), mask (4), cookie (4), length (4), a name
    /// filled up with zeros.
    static func look(_ bytes: ArraySlice<UInt8>, _ names: [Int32: Set<String>]) -> Seen {
      var rest = bytes
      var seen = Seen.nothing
      while let watch = rest.integer(at: 0, as: Int32.self),
        let mask = rest.integer(at: 4, as: UInt32.self),
        let length = rest.integer(at: 12, as: UInt32.self).map(Int.init)
      {
        if mask & ends != 0 { return .end }
        let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
        if mask & lost != 0
          || names[watch]?.contains(String(decoding: name, as: UTF8.self)) == true
        {
          seen = .change
        }
        rest = rest.dropFirst(16 + length)
      }
      return seen
    }
  }
#endif
