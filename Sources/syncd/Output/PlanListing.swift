import SyncKit

/// A plan as a short list for people: what would be done to which project, and the totals.
struct PlanListing {
  let plan: SyncPlan
  let store: LocalStore
  let url: String

  /// Projects shown of each kind, unless `-v` asks for all of them.
  private static let limit = 20

  private struct Group {
    let sign: String
    let words: String
    let style: TextStyle
    let ids: [ProjectID]
  }

  func print(_ console: Console) async throws {
    let shown = groups.filter { !$0.ids.isEmpty }
    if console.isQuiet, shown.isEmpty, plan.refused == nil { return }
    let arrow =
      switch plan.direction {
      case .push: "to"
      case .pull: "from"
      case .both: "with"
      }
    try console.print("plan: \(plan.direction.rawValue) \(arrow) \(url)")
    for group in shown { try await print(group, console) }
    for record in plan.setAside {
      try console.print("  ! left alone: \(record.description.printable)")
    }
    try console.print(totals)
    if let refused = plan.refused { console.complain(refused.explanation) }
  }

  private var groups: [Group] {
    [
      Group(sign: "+", words: "append to the remote", style: .green, ids: plan.remote.append),
      Group(sign: "~", words: "update on the remote", style: .yellow, ids: plan.remote.update),
      Group(sign: "-", words: "delete from the remote", style: .red, ids: plan.remote.delete),
      Group(sign: "+", words: "append to the store", style: .green, ids: plan.local.append),
      Group(sign: "~", words: "update in the store", style: .yellow, ids: plan.local.update),
      Group(sign: "-", words: "delete from the store", style: .red, ids: plan.local.delete),
      conflicts("conflict, the local version stays", .local),
      conflicts("conflict, the remote's version stays", .remote),
      conflicts("conflict, merged", .merged),
      conflicts("conflict, waits for a decision", nil),
      Group(
        sign: "!", words: "newer on the remote, left alone", style: .dim, ids: plan.remoteNewer),
      Group(sign: "!", words: "newer in the store, left alone", style: .dim, ids: plan.localNewer),
    ]
  }

  private func conflicts(_ words: String, _ winner: ConflictWinner?) -> Group {
    let ids = plan.conflicts.filter { $0.winner == winner }.map(\.id)
    return Group(sign: "?", words: words, style: .yellow, ids: ids)
  }

  private func print(_ group: Group, _ console: Console) async throws {
    let isCut = !console.isVerbose && group.ids.count > Self.limit
    let ids = isCut ? Array(group.ids.prefix(Self.limit)) : group.ids
    try console.print(console.styled("  \(group.sign) \(group.words)", group.style))
    for id in ids {
      let title = try await title(of: id)
      let line = "      \(id.string.printable)" + (title.map { "  " + $0.printable } ?? "")
      try console.print(console.outTerminal.map { line.cut(to: $0.width) } ?? line)
    }
    if isCut {
      try console.print("      … and \(group.ids.count - ids.count) more; -v lists them all")
    }
  }

  /// The title that this store knows, of a project that it may have deleted.
  private func title(of id: ProjectID) async throws -> String? {
    if let project = try await store.project(id) { return project.title }
    return try await store.history(of: id).first?.project.title
  }

  private var totals: String {
    var parts: [String] = []
    for (changes, place) in [(plan.remote, "on the remote"), (plan.local, "in the store")]
    where !changes.isEmpty {
      let counts = [
        (changes.append.count, "append"), (changes.update.count, "update"),
        (changes.delete.count, "delete"),
      ].filter { $0.0 > 0 }.map { "\($0.0) to \($0.1)" }
      parts.append(counts.joined(separator: ", ") + " " + place)
    }
    if parts.isEmpty { parts.append("nothing to do") }
    if !plan.conflicts.isEmpty { parts.append(counted(plan.conflicts.count, "conflict")) }
    if !plan.adopt.isEmpty { parts.append("\(plan.adopt.count) agreed already") }
    if !plan.kept.isEmpty { parts.append("\(plan.kept.count) kept") }
    parts.append("\(plan.unchanged) unchanged")
    return parts.joined(separator: "; ")
  }
}
