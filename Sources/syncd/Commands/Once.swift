import SyncKit

extension Command {
  static let dryRun = CommandOption("dry-run", help: "only say what would be done: plan")
  static let wait = CommandOption(
    "wait", .word("SECONDS"), help: "how long to wait for another run that holds the store; 0")
  static let allowEmpty = CommandOption(
    "allow-empty", help: "let this run empty a side; see the guards in the manual")
  static let forceDelete = CommandOption(
    "force-delete", help: "let this run delete more than the guards allow")
  static let retryFor = CommandOption(
    "retry-for", .word("DURATION"), help: "how long trouble with the network is retried: 0s, 5m")
  static let retryFailed = CommandOption(
    "retry-failed", help: "try records again that were set aside")

  static let once = Command(
    "once", summary: "reconcile the store with the remote, once",
    details: """
      Prints one line of what was done; with -q nothing when all went well, so that cron mails only \
      trouble. A second run right after writes nothing. Where a side looks empty, or a great part of \
      it would be deleted, the run is refused and changes nothing.
      """,
    options: [dryRun, wait, allowEmpty, forceDelete, retryFor, retryFailed],
    examples: [
      Example("syncd once -q", "for cron"),
      Example("syncd once --json", "the report as one JSON object"),
    ],
    run: { invocation in
      invocation.arguments.has(dryRun)
        ? try await Plan(invocation: invocation).run()
        : try await Once(invocation: invocation).run()
    })
}

private struct Once {
  let invocation: Invocation

  func run() async throws -> ExitCode {
    let lockWait = try invocation.duration(Command.wait) ?? .zero
    let retryFor = try invocation.duration(Command.retryFor)
    let report: SyncReport
    var configuration = Configuration()
    do {
      configuration = try invocation.configuration()
      report = try await synchronize(configuration, lockWait: lockWait, retryFor: retryFor)
    } catch {
      guard let failed = SyncReport(error, direction: configuration.direction) else { throw error }
      report = failed
    }
    try RunSummary(report: report, store: configuration.store).print(invocation)
    return ExitCode(report.outcome)
  }

  private func synchronize(
    _ configuration: Configuration, lockWait: Duration, retryFor: Duration?
  ) async throws -> SyncReport {
    var options = configuration.syncOptions
    options.lockWait = lockWait
    options.retriesFailed = invocation.arguments.has(Command.retryFailed)
    options.guards.allowEmpty = invocation.arguments.has(Command.allowEmpty)
    options.guards.forceDelete = invocation.arguments.has(Command.forceDelete)
    _ = try configuration.remoteURL()
    let store = try LocalStore(path: configuration.store)
    let remote = try await configuration.makeRemote(for: store, retryFor: retryFor)
    let engine = SyncEngine(store: store, remote: remote, options: options)
    let follower = EventFollower(invocation)
    follower.follow(engine.events)
    defer { follower.stop() }
    let report = try await Signals.cancelling { try await engine.synchronize() }
    await follower.drain()
    return report
  }
}
