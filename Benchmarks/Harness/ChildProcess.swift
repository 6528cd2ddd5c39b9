#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a whole process took, start to end, as the kernel counted it.
struct Usage {
  /// Seconds from just before the start to the end.
  var wall: Double
  /// Seconds, user and system, of all its threads.
  var cpu: Double
  /// The peak of its resident memory in bytes. Linux folds the peak of the process that starts
  /// another into this number, so it can never show less than this bench's own few megabytes; that
  /// is why whatever needs memory here runs as a child of its own.
  var peak: Int64
}

/// A child process. Its end is seen as the closing of a pipe that only it holds, so that waiting
/// for it can have a limit without a signal handler or a timer.
final class ChildProcess {
  let pid: pid_t
  let name: String
  private let started: ContinuousClock.Instant
  private let lifeline: Int32
  private var isOver = false
  /// Whether a signal from outside stopped it for a while, so that its times are not its own.
  private(set) var wasStopped = false

  /// Starts a program with nothing on its standard input.
  ///
  /// - Parameters:
  ///   - output: the file that it writes; nil for what this process writes to.
  ///   - errors: the file for its complaints, which may be the same; nil likewise.
  init(_ arguments: [String], output: String?, errors: String?) throws {
    name = arguments.prefix(2).joined(separator: " ")
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw BenchError("pipe: \(Files.lastError)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }

    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let create = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if let output { posix_spawn_file_actions_addopen(&actions, 1, output, create, 0o600) }
    if let errors, errors == output {
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    } else if let errors {
      posix_spawn_file_actions_addopen(&actions, 2, errors, create, 0o600)
    }
    posix_spawn_file_actions_adddup2(&actions, ends[1], Self.lifelineDescriptor)

    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    started = .now
    let code = posix_spawnp(&pid, arguments[0], &actions, nil, words, environ)
    guard code == 0 else {
      close(ends[0])
      throw BenchError("\(arguments[0]): \(String(cString: strerror(code)))")
    }
    self.pid = pid
    lifeline = ends[0]
  }

  deinit {
    if !isOver {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
    }
    close(lifeline)
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for the end, and kills the process when it does not come in time.
  ///
  /// - Returns: what it took, and its exit status; 128 and the signal's number when one ended it.
  /// - Throws: `BenchError` when the time was up.
  func wait(seconds: Int32) throws -> (usage: Usage, status: Int32) {
    var watched = pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0)
    var left = seconds * 1000
    while poll(&watched, 1, Self.lookInterval) == 0, left > 0 {
      left -= Self.lookInterval
      lookWhetherStopped()
    }
    let isLate = left <= 0
    if isLate { kill(pid, SIGKILL) }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(pid, &status, 0, &usage) < 0 && errno == EINTR {}
    let wall = (ContinuousClock.now - started).seconds
    isOver = true
    if isLate { throw BenchError("\(name) did not end within \(seconds) s") }
    return (
      Usage(
        wall: wall, cpu: usage.ru_utime.seconds + usage.ru_stime.seconds,
        peak: Int64(usage.ru_maxrss) * Self.maxrssUnit),
      status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    )
  }

  /// Takes note of a stop or a continuation since the last look.
  func lookWhetherStopped() {
    var change = siginfo_t()
    let found = waitid(P_PID, id_t(pid), &change, WSTOPPED | WCONTINUED | WNOHANG)
    if found == 0 && change.si_signo == SIGCHLD { wasStopped = true }
  }

  /// Milliseconds between looks whether the process is stopped; its end is seen at once.
  private static let lookInterval: Int32 = 100
  private static let lifelineDescriptor: Int32 = 9
  #if canImport(Glibc)
    private static let maxrssUnit: Int64 = 1024
  #else
    private static let maxrssUnit: Int64 = 1
  #endif
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) * 1e-6 }
}
