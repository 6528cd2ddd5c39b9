import SyncKit

extension Command {
  static let remove = Command(
    "rm", summary: "remove projects",
    details: "Each stays in the history and can be restored: syncd restore ID.",
    operands: [Operand(name: "ID", repeats: true)],
    run: { invocation in
      let store = try invocation.openStore()
      var removed: [String] = []
      var code = ExitCode.success
      for text in invocation.arguments.operands {
        do {
          let id = try await store.resolve(text)
          try await store.remove(id)
          removed.append(id.string)
        } catch let error as SyncError where [.notFound, .invalidInput].contains(error.code) {
          invocation.console.complain(error.message)
          code = .partial
        }
      }
      if invocation.printsJSON {
        try invocation.console.print(
          JSONText.object(["removed": .strings(removed)]).description)
      } else if !invocation.console.isQuiet {
        for id in removed { try invocation.console.print("removed \(id.printable)") }
      }
      return code
    })
}
