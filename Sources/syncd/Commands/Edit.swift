import SyncKit

extension Command {
  private static let clearDue = CommandOption("clear-due", help: "take the due date away")

  static let edit = Command(
    "edit", summary: "change a project",
    details: """
      ID is the whole id or its beginning, four characters or more. Only what is given is changed. \
      The version before stays in the history.
      """,
    operands: [Operand(name: "ID")],
    options: [.title, .body, .state, .due, clearDue],
    examples: [Example("syncd edit 0190a1b2 --state done", "the project is done")],
    run: { invocation in
      let arguments = invocation.arguments
      if arguments.has(.due), arguments.has(clearDue) {
        throw invocation.usage("--due and --clear-due contradict each other")
      }
      let edit = ProjectEdit(
        title: arguments[.title], body: arguments[.body], state: arguments[.state],
        dueAt: arguments.has(clearDue) ? .some(nil) : arguments[.due].map { .some($0) })
      if edit == ProjectEdit() {
        throw invocation.usage(
          "nothing to change: give --title, --body, --state, --due or --clear-due")
      }
      let store = try invocation.openStore()
      let id = try await store.resolve(invocation.operand ?? "")
      let project = try await store.edit(id, edit)
      try invocation.printWritten(project, "edited \(project.id.string.printable)")
      return .success
    })
}
