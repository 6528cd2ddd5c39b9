import SyncKit

extension Command {
  private static let versionNumber = CommandOption(
    "version", .word("N"), help: "the version to bring back, as history numbers it; the newest")

  static let restore = Command(
    "restore", summary: "bring an old version of a project back",
    details: """
      The old version becomes the current one, as an ordinary edit that the next run carries over. \
      A deleted project comes back under its id.
      """,
    operands: [Operand(name: "ID")],
    options: [versionNumber],
    run: { invocation in
      var version: Int64?
      if let text = invocation.arguments[versionNumber] {
        version = Int64(text)
        if version == nil { throw invocation.usage("--version: \"\(text)\" is not a number") }
      }
      let store = try invocation.openStore()
      let id = try await store.resolve(invocation.operand ?? "", includingDeleted: true)
      let project = try await store.restore(id, version: version)
      try invocation.printWritten(project, "restored \(project.id.string.printable)")
      return .success
    })
}
