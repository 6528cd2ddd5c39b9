import SyncKit

/// Carries out one command line: parses, dispatches, and says in words what went wrong.
struct CommandLineTool: Sendable {
  let console: Console
  let environment: Environment

  /// How the process should end.
  enum Ending: Equatable {
    case exit(ExitCode)
    /// As the signal would have ended it, now that everything is tidied up.
    case signal(Int32)
  }

  /// - Returns: how to end; everything that was printed is flushed.
  func run(_ words: [String]) async -> Ending {
    var ending: Ending
    do {
      ending = .exit(try await dispatch(words))
    } catch let error as Interrupted {
      console.complain("interrupted; what was done is kept, and the next run goes on from there")
      ending = .signal(error.signal)
    } catch {
      ending = .exit(report(error))
    }
    do {
      try console.out.flush()
    } catch {
      // An error that was met before is reported already.
      if !error.isClosedPipe, ending != .exit(.store) { ending = .exit(report(error)) }
    }
    return ending
  }

  private func dispatch(_ words: [String]) async throws -> ExitCode {
    let parsed = try ArgumentParser.parse(words)
    let arguments = parsed.arguments
    console.configure(
      color: arguments[.color] ?? "auto", environment: environment,
      verbosity: arguments.has(.quiet) ? .quiet : arguments.has(.verbose) ? .verbose : .normal)
    if parsed.command == nil, arguments.has(.versionFlag) {
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
    for option in [CommandOption.store, .remote] where arguments[option]?.isEmpty == true {
      throw UsageError("--\(option.long) is given, but empty", for: command)
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
    default: console.complain("\(error)")
    }
    return code
  }
}
