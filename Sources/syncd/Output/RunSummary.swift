import SyncKit

/// What a run did, in words or as JSON.
struct RunSummary {
  let report: SyncReport
  /// The store's path, for messages.
  let store: String

  /// The summary on standard output when the run went through, everything else on standard error.
  func print(_ invocation: Invocation) throws {
    let console = invocation.console
    if invocation.printsJSON {
      try console.print(report.json)
      return
    }
    for failure in report.failed { console.complain(failure.sentence) }
    switch report.outcome {
    case .inSync:
      if console.isQuiet { return }
      try console.print(console.styled("in sync", .green) + ": " + changes)
      if !report.message.isEmpty { console.note("syncd: \(report.message)") }
    case .partial, .conflicts:
      console.complain((report.message.isEmpty ? headline : report.message) + ": " + changes)
    case .refused: console.complain(refusal)
    default: console.complain(report.message.isEmpty ? headline : report.message)
    }
  }

  /// `3 appended, 1 updated, 1 deleted on the remote; 120 unchanged (0.4 s)`.
  var changes: String {
    var parts: [String] = []
    if let text = Self.sentence(report.remote) { parts.append(text + " on the remote") }
    if let text = Self.sentence(report.local) { parts.append(text + " in the store") }
    let hasMore = !report.failed.isEmpty || report.conflicts > 0
    if parts.isEmpty, !hasMore { parts.append("nothing to do") }
    if report.adopted > 0 { parts.append("\(report.adopted) agreed already") }
    if report.remoteNewer > 0 {
      let side = report.direction == .pull ? "in the store" : "on the remote"
      parts.append("\(report.remoteNewer) newer \(side), left alone")
    }
    if report.kept > 0 { parts.append("\(report.kept) kept") }
    if report.conflicts > 0 { parts.append(counted(report.conflicts, "conflict")) }
    if !report.failed.isEmpty { parts.append("\(report.failed.count) failed") }
    parts.append("\(report.unchanged) unchanged")
    return parts.joined(separator: "; ") + " (\(report.seconds.tenths) s)"
  }

  private static func sentence(_ changes: SyncReport.Changes) -> String? {
    let parts = [
      (changes.appended, "appended"), (changes.updated, "updated"), (changes.deleted, "deleted"),
    ].filter { $0.0 > 0 }
    return parts.isEmpty ? nil : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  private var headline: String { Self.headline(report.outcome) }

  static func headline(_ outcome: SyncReport.Outcome) -> String {
    switch outcome {
    case .inSync: "in sync"
    case .partial: "partly in sync"
    case .conflicts: "conflicts wait for a decision"
    case .refused: "refused by a safety guard"
    case .offline: "offline; nothing is lost"
    case .locked: "another run holds the store; nothing is lost"
    case .protocol: "the remote answered something that is not the contract"
    case .unauthorized: "the remote refused the credentials"
    case .storeError: "the local store cannot be used"
    case .configError: "the configuration cannot be used"
    }
  }

  private var refusal: String {
    let reason = report.refused?.explanation ?? headline
    let place = store.isEmpty ? "" : "\nThe store is \(store)."
    return reason + "\nNothing was changed. `syncd plan` shows what the run would do." + place
  }
}

extension SyncReport.Failure {
  /// `project ID could not be updated: 422: the server's words`.
  var sentence: String {
    let done =
      switch action {
      case .append: "appended"
      case .update: "updated"
      case .delete: "deleted"
      }
    let code = status == 0 ? "" : "\(status): "
    return "project \(id.printable) could not be \(done): \(code)\(message.printable)"
  }
}
