import SyncKit

extension Command {
  private static let keep = CommandOption(
    "keep", .choice(ConflictWinner.allCases.map(\.rawValue)),
    help: "whose version stays; merged: the changes of both")

  static let conflicts = Command(
    "conflicts", summary: "list the conflicts that wait, and decide them",
    details: """
      Where both sides changed a project, and conflicts is "manual", both versions are kept until \
      somebody decides. All of this works offline; the next run carries a decision out. Where \
      several remotes are known, --remote says which; else it is the one that ran last.
      """,
    examples: [
      Example("syncd conflicts show 0190a1b2", "both versions, field by field"),
      Example("syncd conflicts resolve 0190a1b2 --keep local", "the local version stays"),
    ],
    subcommands: [listConflicts, showConflict, resolveConflict],
    run: listConflicts.run)

  private static let listConflicts = Command(
    "conflicts", "list", summary: "list the conflicts that wait for a decision",
    run: { invocation in
      let url = try invocation.configuration().remote.url
      let conflicts = try await invocation.readStore().conflicts(remote: url)
        .map { ConflictView(conflict: $0, now: .now) }
      let console = invocation.console
      if invocation.printsJSON {
        try console.print(JSONText.array(conflicts.map(\.summary)).description)
        return .success
      }
      if conflicts.isEmpty {
        console.note("no conflict waits")
        return .success
      }
      var table = Table(["ID", "SINCE", "LOCAL", "REMOTE", "TITLE"])
      for view in conflicts {
        let conflict = view.conflict
        table.add([
          conflict.id.string, conflict.since.short,
          conflict.local?.updatedAt.short ?? "deleted",
          conflict.remote?.updatedAt.short ?? "not fetched", view.title,
        ])
      }
      let lines = table.lines(width: console.outTerminal?.width) { console.styled($0, .dim) }
      for line in lines { try console.print(line) }
      return .success
    })

  private static let showConflict = Command(
    "conflicts", "show", summary: "show both versions of a conflict, field by field",
    details: """
      Beside both versions it shows what both had before, where that is known. Of a text of several \
      lines it shows the lines that differ.
      """,
    operands: [Operand(name: "ID")],
    run: { invocation in
      let url = try invocation.configuration().remote.url
      let conflict = try await invocation.readStore()
        .conflict(invocation.operand ?? "", remote: url)
      let view = ConflictView(conflict: conflict, now: .now)
      if invocation.printsJSON {
        try invocation.console.print(view.json.description)
        return .success
      }
      for line in view.lines(invocation.console) { try invocation.console.print(line) }
      return .success
    })

  private static let resolveConflict = Command(
    "conflicts", "resolve", summary: "decide a conflict",
    details: """
      The next run, or the running service, carries it out. When either side has changed again by \
      then, nothing is overwritten, and the conflict waits anew. The version that gives way stays in \
      the history. "merged" is there where what both had before is known; of a field that both \
      changed, it takes the newer.
      """,
    operands: [Operand(name: "ID")], options: [keep],
    examples: [Example("syncd conflicts resolve 0190a1b2 --keep merged", "the changes of both")],
    run: { invocation in
      guard let winner = invocation.arguments[keep].flatMap(ConflictWinner.init) else {
        throw invocation.usage("syncd conflicts resolve needs --keep local, remote or merged")
      }
      let url = try invocation.configuration().remote.url
      let store = try invocation.openStore()
      let conflict = try await store.conflict(invocation.operand ?? "", remote: url)
      try await store.resolve(conflict, keep: winner, remote: url)
      let id = conflict.id.string
      if invocation.printsJSON {
        try invocation.console.print(
          JSONText.object(["id": .string(id), "keep": .string(winner.rawValue)]).description)
      } else if !invocation.console.isQuiet {
        try invocation.console.print(
          "decided \(id.printable): \(winner.words); the next run carries it out")
      }
      return .success
    })
}

extension ConflictWinner {
  fileprivate var words: String {
    switch self {
    case .local: "the local version stays"
    case .remote: "the remote's version stays"
    case .merged: "merged"
    }
  }
}
