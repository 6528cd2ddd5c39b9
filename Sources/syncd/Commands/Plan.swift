import SyncKit

extension Command {
  static let exitCode = CommandOption(
    "exit-code", help: "exit with 10 when there is something to do")

  static let plan = Command(
    "plan", summary: "show what once would do, and change nothing",
    details: """
      No byte of the store changes, and no request writes. With --json: the ids, by what would be \
      done with them. A plan that a guard would refuse exits with 3.
      """,
    options: [exitCode, retryFor],
    examples: [Example("syncd plan -v", "every project, however many")],
    run: { try await Plan(invocation: $0).run() })
}

struct Plan {
  let invocation: Invocation

  func run() async throws -> ExitCode {
    let configuration = try invocation.configuration()
    let retryFor = try invocation.duration(Command.retryFor)
    _ = try configuration.remoteURL()
    let store = try invocation.readStore()
    let remote = try await configuration.makeRemote(for: store, retryFor: retryFor)
    var options = configuration.syncOptions
    options.guards.allowEmpty = invocation.arguments.has(Command.allowEmpty)
    options.guards.forceDelete = invocation.arguments.has(Command.forceDelete)
    options.retriesFailed = invocation.arguments.has(Command.retryFailed)
    let engine = SyncEngine(store: store, remote: remote, options: options)
    let follower = EventFollower(invocation)
    follower.follow(engine.events)
    defer { follower.stop() }
    let plan = try await Signals.cancelling { try await engine.plan() }
    follower.stop()
    if invocation.printsJSON {
      try invocation.console.print(plan.json.description)
    } else {
      try await PlanListing(plan: plan, store: store, url: remote.url)
        .print(invocation.console)
    }
    if plan.refused != nil { return .refused }
    return invocation.arguments.has(Command.exitCode) && plan.hasWork ? .somethingToDo : .success
  }
}

extension SyncPlan {
  /// The plan as the manual describes it.
  var json: JSONText {
    .object([
      "direction": .string(direction.rawValue),
      "refused": refused.map { .raw($0.json) } ?? .null,
      "unchanged": .number(unchanged),
      "remote": remote.json, "local": local.json,
      "adopt": .ids(adopt), "remoteNewer": .ids(remoteNewer), "localNewer": .ids(localNewer),
      "kept": .ids(kept),
      "conflicts": .array(
        conflicts.map {
          .object([
            "id": .string($0.id.string), "winner": .string($0.winner?.rawValue),
          ])
        }),
    ])
  }
}

extension SyncPlan.Changes {
  fileprivate var json: JSONText {
    .object(["append": .ids(append), "update": .ids(update), "delete": .ids(delete)])
  }
}

extension JSONText {
  fileprivate static func ids(_ ids: [ProjectID]) -> JSONText { .strings(ids.map(\.string)) }
}
