import SyncKit

extension Command {
  static let history = Command(
    "history", summary: "list the old versions of a project",
    details: """
      Every version that was edited over, deleted, or lost to the other side is there until \
      history.keep (90 days) has passed; of deleted projects too. Of one project no more than the \
      newest \(LocalStore.versionsKept) versions that were here are kept, and as many of the remote's.
      """,
    operands: [Operand(name: "ID")],
    run: { invocation in
      let store = try invocation.readStore()
      let id = try await store.resolve(invocation.operand ?? "", includingDeleted: true)
      let versions = try await store.history(of: id)
      if invocation.printsJSON {
        try invocation.console.print(JSONText.array(versions.map(\.json)).description)
        return .success
      }
      if versions.isEmpty {
        invocation.console.note("no old versions of \(id.string.printable)")
        return .success
      }
      var table = Table(["VERSION", "SUPERSEDED", "FROM", "WHY", "STATE", "TITLE"])
      for version in versions {
        table.add([
          String(version.version), version.at.short, version.origin.rawValue,
          version.reason.rawValue, version.project.state, version.project.title,
        ])
      }
      let console = invocation.console
      let lines = table.lines(width: console.outTerminal?.width) { console.styled($0, .dim) }
      for line in lines { try console.print(line) }
      return .success
    })
}

extension HistoryVersion {
  fileprivate var json: JSONText {
    .object([
      "version": .number(version), "origin": .string(origin.rawValue),
      "reason": .string(reason.rawValue), "at": .string(at.description),
      "project": .raw(project.json),
    ])
  }
}
