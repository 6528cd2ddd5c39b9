import SyncKit

extension Command {
  private static let waits = CommandOption(
    "wait", help: "wait for the run, and end as it does: its line, its report, its exit code")

  static let sync = Command(
    "sync", summary: "ask the running service to reconcile now",
    details: "Works while the service is paused as well. Without a service: syncd once.",
    options: [waits, retryFailed],
    examples: [Example("syncd sync --wait --json", "the report of the run as one JSON object")],
    run: { invocation in
      let retryFailed = invocation.arguments.has(retryFailed)
      guard invocation.arguments.has(waits) else {
        try await invocation.serviceClient().requestSync(retryFailed: retryFailed)
        if !invocation.console.isQuiet, !invocation.printsJSON {
          try invocation.console.print("asked for a run")
        }
        return .success
      }
      do {
        let report = try await Signals.cancelling {
          try await invocation.serviceClient().synchronize(retryFailed: retryFailed)
        }
        try report.print(invocation)
        return ExitCode(report.outcome)
      } catch  where invocation.printsJSON {
        let direction = (try? invocation.configuration().direction) ?? .push
        guard let failed = SyncReport(error, direction: direction) else { throw error }
        try invocation.console.print(failed.json)
        return ExitCode(failed.outcome)
      }
    })

  private static let duration = CommandOption(
    "for", .word("DURATION"), help: "for how long: 30m, 2h, 7d; until somebody resumes it")

  static let pause = Command(
    "pause", summary: "let the running service rest", options: [duration],
    examples: [Example("syncd pause --for 2h", "for a journey")],
    run: { invocation in
      let length = try invocation.duration(duration)
      if length == .zero { throw invocation.usage("--for: a pause of no length is none") }
      let until = try await invocation.serviceClient().pause(for: length)
      if invocation.printsJSON {
        try invocation.console.print(
          JSONText.object(["state": .string("paused"), "until": .string(until)]).description)
      } else if !invocation.console.isQuiet {
        try invocation.console.print(
          "paused until "
            + (until.map { Timestamp(rfc3339: $0)?.short ?? $0 } ?? "somebody says: syncd resume"))
      }
      return .success
    })

  static let resume = Command(
    "resume", summary: "let the running service go on, with a run at once",
    run: { invocation in
      let state = try await invocation.serviceClient().resume()
      if invocation.printsJSON {
        try invocation.console.print(JSONText.object(["state": .string(state)]).description)
      } else if !invocation.console.isQuiet {
        try invocation.console.print("resumed: \(state)")
      }
      return .success
    })
}

extension Invocation {
  /// Whom to ask. Nothing is asked yet.
  ///
  /// - Throws: `ConfigurationError`.
  func serviceClient() throws -> ControlClient {
    ControlClient(path: try configuration().controlPath(environment))
  }
}

extension ControlClient.Report {
  /// The run's line on standard output when it went well, or on standard error; or its report.
  fileprivate func print(_ invocation: Invocation) throws {
    if invocation.printsJSON {
      try invocation.console.print(json)
    } else if outcome == .inSync {
      if !invocation.console.isQuiet { try invocation.console.print(headline) }
    } else {
      invocation.console.complain(headline)
    }
  }

  private var headline: String {
    ReportWords(json: json)?.text ?? (message.isEmpty ? RunSummary.headline(outcome) : message)
  }
}
