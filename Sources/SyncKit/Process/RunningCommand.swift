internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A command that was started, and our ends of its pipes.
final class RunningCommand: Sendable {
  let command: ChildCommand
  let pid: pid_t
  /// False once the process was waited for, after which its number may be another's.
  private let isRunning = Mutex(true)
  private let pipes: Mutex<CommandPipes>

  init(_ command: ChildCommand) throws(ChildCommand.Failure) {
    let output = try Self.makePipe()
    var input: (read: Int32, write: Int32)?
    do {
      if !command.input.isEmpty { input = try Self.makePipe() }
      let takesErrors = if case .beginning = command.output { true } else { false }
      pid = try Self.spawn(
        command, ChildEnds(input: input?.read, output: output.write, takesErrors: takesErrors))
    } catch {
      for end in [output.read, output.write, input?.read, input?.write] {
        if let end { close(end) }
      }
      throw error
    }
    close(output.write)
    if let input { close(input.read) }
    self.command = command
    pipes = Mutex(
      CommandPipes(
        output: output.read, keeping: command.output, input: input?.write, bytes: command.input))
  }

  /// Kills the whole group, unless it has ended.
  func kill() { signal(SIGKILL) }

  private func signal(_ number: Int32) {
    isRunning.withLock { isRunning in
      if isRunning { _ = killpg(pid, number) }
    }
  }

  /// Exchanges input and output, and waits for the end; blocks its thread meanwhile.
  func finish() -> ChildCommand.Result? {
    let deadline = ContinuousClock.now + command.limit
    var isLate = false
    while !hasEnded {
      isLate = ContinuousClock.now >= deadline
      if isLate { break }
      exchange(until: deadline)
    }
    if isLate { end() }
    let (output, isCut) = pipes.withLock { pipes in
      // What it wrote before it ended may still be in the pipe.
      pipes.exchange(milliseconds: 0)
      pipes.closeBoth()
      return (pipes.kept, pipes.isCut)
    }
    let ending = reap()
    return ChildCommand.Result(
      ending: isLate ? .timedOut : ending, output: output, isCut: isCut)
  }

  /// Kills it and waits for that, since nobody can wait for its end; nil.
  func abandon() -> ChildCommand.Result? {
    kill()
    pipes.withLock { $0.closeBoth() }
    _ = reap()
    return nil
  }

  /// Its time is up: it may tidy up for a while, and whatever is left of the group then goes.
  private func end() {
    if command.grace > .zero {
      signal(SIGTERM)
      let deadline = ContinuousClock.now + command.grace
      while !hasEnded, ContinuousClock.now < deadline { exchange(until: deadline) }
    }
    kill()
  }

  private func exchange(until deadline: ContinuousClock.Instant) {
    let rest = ContinuousClock.now.duration(to: deadline)
    // Its end makes no descriptor ready, where something it started holds the pipe open.
    let longest = Duration.milliseconds(pipes.withLock { $0.areOpen } ? 50 : 5)
    let milliseconds = min(max(rest, .milliseconds(1)), longest).milliseconds
    pipes.withLock { $0.exchange(milliseconds: Int32(milliseconds)) }
  }

  /// Whether the process has ended; it is left to be reaped, so that its number stays its own.
  private var hasEnded: Bool {
    var info = siginfo_t()
    guard waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else {
      return errno != EINTR
    }
    return info.si_signo == SIGCHLD
  }

  private func reap() -> ChildCommand.Ending {
    var status: Int32 = 0
    isRunning.withLock { isRunning in
      while waitpid(pid, &status, 0) == -1, errno == EINTR {}
      isRunning = false
    }
    let number = status & 0x7F
    return number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
  }
}
