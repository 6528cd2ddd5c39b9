import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs a command for the credential that it prints.
///
/// The command has no input, and its errors go nowhere, since they may hold what is secret. It runs
/// in a process group of its own, which is killed when its time is up or the task is cancelled.
struct CredentialCommand {
  let arguments: [String]
  let limit: Duration

  init(_ arguments: [String], limit: Duration = .seconds(30)) {
    self.arguments = arguments
    self.limit = limit
  }

  /// The first line of the command's output.
  ///
  /// - Throws: `SyncError` with `.configuration` when the command cannot be run, fails or takes too
  ///   long; `CancellationError`.
  func firstLine() async throws -> String {
    let child = try ChildProcess(arguments, limit: limit)
    let output = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: child.finish()) }
      }
    } onCancel: {
      child.kill()
    }
    try Task.checkCancellation()
    let name = arguments.first ?? ""
    switch output {
    case .line(let line): return line
    case .failed(let code):
      throw SyncError(.configuration, "the command \(name) of remote.auth failed with \(code)")
    case .timedOut:
      throw SyncError(
        .configuration, "the command \(name) of remote.auth took longer than \(limit)")
    }
  }
}

/// A command that was started, and the end of the pipe that its output comes from.
private final class ChildProcess: Sendable {
  enum Output {
    case line(String)
    case failed(code: Int32)
    case timedOut
  }

  private let pid: pid_t
  private let output: Int32
  private let limit: Duration
  /// False once the process was waited for, after which its number may be another's.
  private let isRunning = Mutex(true)

  init(_ arguments: [String], limit: Duration) throws(SyncError) {
    var pipe: [Int32] = [-1, -1]
    let made = makePipe(&pipe)
    guard made == 0, !arguments.isEmpty else {
      throw SyncError(.configuration, "remote.auth names an empty command")
    }
    let (child, code) = Self.spawn(arguments, output: pipe[1])
    close(pipe[1])
    guard code == 0 else {
      close(pipe[0])
      throw SyncError(
        .configuration,
        "the command \(arguments[0]) of remote.auth cannot be run: \(String(cString: strerror(code)))"
      )
    }
    (pid, output, self.limit) = (child, pipe[0], limit)
  }

  private static func spawn(_ arguments: [String], output: Int32) -> (pid_t, Int32) {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var none = sigset_t()
    var every = sigset_t()
    sigemptyset(&none)
    sigfillset(&every)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &every)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    return withCStrings(arguments) { argv in
      withCStrings(ProcessEnvironment.variables) { environment in
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, arguments[0], &actions, &attributes, argv, environment)
        return (pid, code)
      }
    }
  }

  func kill() {
    isRunning.withLock { isRunning in
      if isRunning { _ = killpg(pid, SIGKILL) }
    }
  }

  /// Reads the first line and waits for the end; blocks its thread meanwhile.
  func finish() -> Output {
    let deadline = ContinuousClock.now + limit
    var isLate = false
    let line = readLine(until: deadline, isLate: &isLate)
    close(output)
    var status: Int32 = 0
    while !isLate, waitWithoutReaping(until: deadline, isLate: &isLate) {}
    if isLate { kill() }
    isRunning.withLock { isRunning in
      while waitpid(pid, &status, 0) == -1, errno == EINTR {}
      isRunning = false
    }
    if isLate { return .timedOut }
    let signal = status & 0x7F
    let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    // A command that goes on printing after its first line finds the pipe closed.
    guard code == 0 || (signal == SIGPIPE && !line.isEmpty) else { return .failed(code: code) }
    return .line(line)
  }

  /// Waits a little for the child's end, and leaves it to be reaped; false once it has ended.
  private func waitWithoutReaping(until deadline: ContinuousClock.Instant, isLate: inout Bool)
    -> Bool
  {
    var info = siginfo_t()
    guard waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
    if hasEnded(info) { return false }
    isLate = ContinuousClock.now >= deadline
    if !isLate { poll(nil, 0, 5) }
    return !isLate
  }

  private func hasEnded(_ info: siginfo_t) -> Bool { info.si_signo == SIGCHLD }

  private func readLine(until deadline: ContinuousClock.Instant, isLate: inout Bool) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 64 << 10, !bytes.contains(UInt8(ascii: "\n")) {
      guard ContinuousClock.now < deadline else {
        isLate = true
        break
      }
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 100)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      let count = read(output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes.append(contentsOf: buffer[..<count])
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}

/// A pipe that children do not inherit but by name.
private func makePipe(_ ends: inout [Int32]) -> Int32 {
  let made = pipe(&ends)
  for end in ends where made == 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return made
}

/// Hands over the texts as C has them: an array that ends with NULL.
private func withCStrings<Result>(
  _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = texts.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
