import SyncKit

/// Carries out one command line: parses, dispatches, and says in words what went wrong.
struct CommandLineTool: Sendable {
  let console: Console
  let environment: Environment

  /// - Returns: the exit code; everything that was printed is flushed.
  func run(_ words: [String]) async -> ExitCode {
    var code: ExitCode
    do {
      code = try await dispatch(words)
    } catch {
      code = report(error)
    }
    do {
      try console.out.flush()
    } catch {
      if !error.isClosedPipe { code = report(error) }
    }
    try? console.err.flush()
    return code
  }

  private func dispatch(_ words: [String]) async throws -> ExitCode {
    let parsed = try ArgumentParser.parse(words)
    let arguments = parsed.arguments
    console.configure(
      color: arguments[.color] ?? "auto", environment: environment,
      verbosity: arguments.has(.quiet) ? .quiet : arguments.has(.verbose) ? .verbose : .normal)
    if arguments.has(.versionFlag) {
      return try await run(.version, arguments)
    }
    if arguments.has(.help) {
      try console.print(parsed.command.map { HelpText.command($0) } ?? HelpText.overview)
      return .success
    }
    guard let command = parsed.command else {
      try console.print(HelpText.overview)
      throw UsageError("no command given", for: nil)
    }
    return try await run(command, arguments)
  }

  private func run(_ command: Command, _ arguments: Arguments) async throws -> ExitCode {
    guard let body = command.run else {
      throw UsageError.missingSubcommand(of: command)
    }
    return try await body(
      Invocation(
        command: command, arguments: arguments, console: console, environment: environment))
  }

  private func report(_ error: any Error) -> ExitCode {
    let code = ExitCode(for: error)
    switch error {
    case let error as OutputError where error.isClosedPipe: return .success
    case let error as UsageError: console.complain("\(error.message)\n\(error.hint)")
    case let error as ConfigurationError: console.complain(error.description)
    case let error as SyncError: console.complain(error.message)
    case is CancellationError: console.complain("interrupted; nothing is lost")
    default: console.complain("\(error)")
    }
    return code
  }
}
