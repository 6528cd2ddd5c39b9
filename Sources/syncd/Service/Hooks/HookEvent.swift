import SyncKit

/// What a hook is run for.
enum HookKind: String, Sendable, CaseIterable {
  /// A run went through.
  case sync
  /// More conflicts wait for a decision than before.
  case conflict
  /// Runs begin to fail, or fail for another reason than before.
  case failure
  /// A run went through after others had failed.
  case recovered

  /// The key of the configuration: `onSync`.
  var key: String { "on" + rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

/// Something that happened, as a hook is told of it.
struct HookEvent: Sendable, Equatable {
  var kind: HookKind
  var at: Timestamp
  /// The report of the run; nil where it was no run.
  var report: SyncReport?
  /// What happened, in words.
  var message: String

  /// The object of docs/service.md, and the end of its line.
  var json: String {
    let object = JSONText.object([
      "event": .string(kind.rawValue), "at": .string(at.description),
      "report": report.map { .raw($0.json) } ?? .null, "message": .string(message),
    ])
    return object.description + "\n"
  }
}

/// Tells from one report after another what hooks are run for.
struct HookRule: Sendable {
  /// How the last run ended that was a failure, if no run has gone through since.
  private var failing: SyncReport.Outcome?
  private var conflicts = 0

  /// - Parameter now: the time of day.
  mutating func events(after report: SyncReport, at now: Timestamp) -> [HookEvent] {
    var kinds: [HookKind] = []
    switch report.outcome {
    case .inSync, .conflicts:
      if failing != nil { kinds.append(.recovered) }
      failing = nil
      kinds.append(.sync)
    case .partial:
      kinds.append(.sync)
      if failing != .partial { kinds.append(.failure) }
      failing = .partial
    case .locked:
      // The other run that holds the store has a report of its own.
      return []
    case .refused, .offline, .protocol, .unauthorized, .storeError, .configError:
      if failing != report.outcome { kinds.append(.failure) }
      failing = report.outcome
    }
    if report.outcome == .inSync { conflicts = 0 }
    if report.outcome == .conflicts {
      if report.conflicts > conflicts { kinds.append(.conflict) }
      conflicts = report.conflicts
    }
    return kinds.map { kind in
      HookEvent(kind: kind, at: now, report: report, message: kind.message(report))
    }
  }
}

extension HookKind {
  fileprivate func message(_ report: SyncReport) -> String {
    switch self {
    case .sync: RunSummary(report: report, store: "").changes
    case .conflict: counted(report.conflicts, "conflict") + " to decide"
    case .failure: report.message
    case .recovered: "in sync again"
    }
  }
}
