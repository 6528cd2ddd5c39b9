#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs a command for the credential that it prints.
///
/// The command has no input, and its errors go nowhere, since they may hold what is secret.
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
    guard let name = arguments.first else {
      throw SyncError(.configuration, "remote.auth names an empty command")
    }
    let command = ChildCommand(
      arguments, environment: ProcessEnvironment.variables, output: .firstLine(bytes: 64 << 10),
      limit: limit)
    let result: ChildCommand.Result
    do {
      result = try await command.run()
    } catch let failure as ChildCommand.Failure {
      throw SyncError(
        .configuration, "the command \(name) of remote.auth cannot be run: \(failure.reason)")
    }
    switch result.ending {
    case .exited(0): break
    // A command that goes on printing after its first line finds the pipe closed.
    case .signalled(SIGPIPE) where !result.output.isEmpty: break
    case .exited(let code): throw failed(name, code)
    case .signalled(let number): throw failed(name, 128 + number)
    case .timedOut:
      throw SyncError(
        .configuration, "the command \(name) of remote.auth took longer than \(limit)")
    }
    return String(decoding: result.output, as: UTF8.self)
  }

  private func failed(_ name: String, _ code: Int32) -> SyncError {
    SyncError(.configuration, "the command \(name) of remote.auth failed with \(code)")
  }
}
