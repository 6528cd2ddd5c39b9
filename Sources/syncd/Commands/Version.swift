import SyncKit

extension Command {
  static let version = Command(
    "version", summary: "print the version",
    run: { invocation in
      let version = syncdVersion
      try invocation.console.print(
        invocation.printsJSON
          ? JSONText.object(["version": .string(version)]).description : "syncd \(version)")
      return .success
    })
}
