#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The stream that log lines go to, as far as it decides how they look.
struct LogStream: Sendable, Equatable {
  /// `DEVICE:INODE` of the open file.
  var identity: String
  var isTerminal: Bool

  init(identity: String, isTerminal: Bool) {
    self.identity = identity
    self.isTerminal = isTerminal
  }

  init(descriptor: Int32) {
    var status = stat()
    identity = fstat(descriptor, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : ""
    isTerminal = isatty(descriptor) == 1
  }

  static let standardError = LogStream(descriptor: 2)

  /// Whether this is the journal's stream: systemd.exec(5), `JOURNAL_STREAM`. The variable alone
  /// does not tell, since a stream that was redirected since inherits it.
  func isJournal(_ environment: Environment) -> Bool {
    !identity.isEmpty && environment["JOURNAL_STREAM"] == identity
  }
}

extension LogFormat {
  /// - Parameter color: `auto`, `always` or `never`, as for every command.
  init(
    _ configured: Configuration.Log.Format, color: String, environment: Environment,
    stream: LogStream
  ) {
    let automatic =
      stream.isTerminal && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
    let isColored = color == "always" || (color == "auto" && automatic)
    switch configured {
    case .json: self = .json
    case .auto where stream.isJournal(environment): self = .journal
    case .auto, .text: self = .text(isColored: isColored)
    }
  }
}

extension Log {
  /// Writes a line to standard error at once. A line that cannot be written is lost, and the next
  /// one is tried: a disk that is full may be freed.
  static func writeStandardError(_ line: [UInt8]) {
    var rest = line[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        #if canImport(Glibc)
          Glibc.write(2, bytes.baseAddress, bytes.count)
        #else
          Darwin.write(2, bytes.baseAddress, bytes.count)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, waitUntilWritable() { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits a second at most: whoever does not read its pipe must not stop the service.
  private static func waitUntilWritable() -> Bool {
    var waiting = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    return poll(&waiting, 1, 1000) > 0
  }
}
