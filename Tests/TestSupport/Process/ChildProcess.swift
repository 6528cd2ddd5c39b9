import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that a test started, with its output gathered.
///
/// It is killed when nobody holds it any more, and after `lifetime` whatever happens.
public final class ChildProcess: Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) {
      self.description = description
    }
  }

  public struct Result: Sendable {
    /// The exit code; 128 plus the signal where one ended the program.
    public var status: Int32
    public var output: String
    public var errors: String
  }

  private struct State {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var status: Int32?
    var openPipes = 2
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// What outlives the handle: the threads that read and wait hold it, not the handle itself.
  private final class Core: Sendable {
    let state = Mutex(State())

    func finish(_ change: (inout State) -> Void) {
      let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        change(&state)
        guard state.status != nil, state.openPipes == 0 else { return [] }
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }

    func read(_ end: Int32, into store: @escaping @Sendable (inout State, [UInt8]) -> Void) {
      ChildProcess.queue.async { [self] in
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
          let count = ChildProcess.read(end, &buffer)
          guard count > 0 else { break }
          let bytes = Array(buffer[..<count])
          state.withLock { store(&$0, bytes) }
        }
        close(end)
        finish { $0.openPipes -= 1 }
      }
    }

    func waitForEnd(of pid: Int32) {
      ChildProcess.queue.async { [self] in
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7F
        let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        finish { $0.status = code }
      }
    }
  }

  public let pid: Int32
  private let core = Core()
  private static let queue = DispatchQueue(label: "child processes", attributes: .concurrent)

  /// - Parameter environment: added to, and overriding, the test's own.
  public init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:],
    input: String = "", lifetime: Int = 120
  ) throws {
    var pipes: [[Int32]] = []
    for _ in 0..<3 {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      pipes.append(ends)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2)
    var variables = Self.environment
    variables.merge(environment) { $1 }
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, path, &actions, nil, argv, envp)
    for end in [pipes[0][0], pipes[1][1], pipes[2][1]] { close(end) }
    guard code == 0 else { throw Failure(description: "\(path): cannot start: \(code)") }
    self.pid = pid
    let inputEnd = pipes[0][1]
    let bytes = Array(input.utf8)
    Self.queue.async {
      _ = bytes.withUnsafeBytes { write(inputEnd, $0.baseAddress, $0.count) }
      close(inputEnd)
    }
    core.read(pipes[1][0]) { $0.output += $1 }
    core.read(pipes[2][0]) { $0.errors += $1 }
    core.waitForEnd(of: pid)
    Self.queue.asyncAfter(deadline: .now() + .seconds(lifetime)) { [weak self] in
      self?.signal(SIGKILL)
    }
  }

  private static var environment: [String: String] {
    var variables: [String: String] = [:]
    for name in ["PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }

  private static func read(_ end: Int32, _ buffer: inout [UInt8]) -> Int {
    #if canImport(Glibc)
      Glibc.read(end, &buffer, buffer.count)
    #else
      Darwin.read(end, &buffer, buffer.count)
    #endif
  }

  // MARK: What tests do with it

  public func signal(_ number: Int32) {
    let isRunning = core.state.withLock { $0.status == nil }
    if isRunning { kill(pid, number) }
  }

  public var output: String { core.state.withLock { String(decoding: $0.output, as: UTF8.self) } }
  public var errors: String { core.state.withLock { String(decoding: $0.errors, as: UTF8.self) } }
  public var isRunning: Bool { core.state.withLock { $0.status == nil } }

  /// Waits for the end.
  public func wait() async -> Result {
    await withCheckedContinuation { continuation in
      let isDone = core.state.withLock { state in
        let isDone = state.status != nil && state.openPipes == 0
        if !isDone { state.waiters.append(continuation) }
        return isDone
      }
      if isDone { continuation.resume() }
    }
    return core.state.withLock { state in
      Result(
        status: state.status ?? -1, output: String(decoding: state.output, as: UTF8.self),
        errors: String(decoding: state.errors, as: UTF8.self))
    }
  }

  /// Waits until the program has printed a line that starts with `prefix`, and returns the rest.
  public func line(
    startingWith prefix: String, atMost time: Duration = .seconds(30)
  ) async throws -> String {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      for line in output.split(separator: "\n") where line.hasPrefix(prefix) {
        return String(line.dropFirst(prefix.count))
      }
      guard isRunning else { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Failure(description: "no line “\(prefix)”: \(output)\(errors)")
  }

  deinit {
    let status = core.state.withLock { $0.status }
    if status == nil { kill(pid, SIGKILL) }
  }
}
