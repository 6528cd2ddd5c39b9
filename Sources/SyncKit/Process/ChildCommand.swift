#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A command of somebody else's: given some input, bounded in time and output, and run in a process
/// group of its own that is killed as a whole.
///
/// Standard input, output and errors are pipes or `/dev/null`; no other descriptor of ours reaches
/// it, signals have their defaults, and what it leaves running in the background is not waited for.
package struct ChildCommand: Sendable {
  /// What is kept of the output.
  package enum Output: Sendable, Equatable {
    /// The first line of standard output: what follows is not read, and errors go nowhere.
    case firstLine(bytes: Int)
    /// The beginning of standard output and errors together; the rest is read and let go.
    case beginning(bytes: Int)
  }

  package enum Ending: Sendable, Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// Its time was up, and it was killed.
    case timedOut
  }

  package struct Result: Sendable, Equatable {
    package var ending: Ending
    package var output: [UInt8]
    /// Whether there was more output than is kept.
    package var isCut: Bool

    package init(ending: Ending, output: [UInt8], isCut: Bool) {
      (self.ending, self.output, self.isCut) = (ending, output, isCut)
    }
  }

  /// A command that could not be started.
  package struct Failure: Error, Sendable, Equatable {
    /// The system's `errno`.
    package var code: Int32

    /// Whether there is no such program.
    package var isMissing: Bool { code == ENOENT }
    package var reason: String { String(cString: strerror(code)) }
  }

  /// The program, looked up in `PATH` unless it holds a slash, and what it is given.
  package var arguments: [String]
  /// Variables as `NAME=value`.
  package var environment: [String]
  /// Where it runs; nil for where this process does.
  package var directory: String?
  package var input: [UInt8] = []
  package var output: Output
  /// How long it may take.
  package var limit: Duration
  /// How long it has, once its time is up, between SIGTERM and SIGKILL; zero for SIGKILL at once.
  package var grace = Duration.zero

  package init(
    _ arguments: [String], environment: [String], output: Output, limit: Duration
  ) {
    self.arguments = arguments
    self.environment = environment
    self.output = output
    self.limit = limit
  }

  /// Runs it to its end. Cancelling kills it.
  ///
  /// - Throws: `Failure` when it cannot be started; `CancellationError`.
  package func run() async throws -> Result {
    try Task.checkCancellation()
    let child = try RunningCommand(self)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasThread = DedicatedThread.start { continuation.resume(returning: child.finish()) }
        if !hasThread { continuation.resume(returning: child.abandon()) }
      }
    } onCancel: {
      child.kill()
    }
    try Task.checkCancellation()
    guard let result else { throw Failure(code: EAGAIN) }
    return result
  }
}
