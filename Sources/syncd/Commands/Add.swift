import SyncKit

extension CommandOption {
  static let title = CommandOption("title", .word("TEXT"), help: "the title")
  static let body = CommandOption("body", .word("TEXT"), help: "the body")
  static let state = CommandOption(
    "state", .word("STATE"), help: "todo, doing, done, or any word of your own")
  static let due = CommandOption("due", .word("DATE"), help: "when it is due: RFC 3339, or a date")
}

extension Command {
  private static let id = CommandOption("id", .word("ID"), help: "its id; a new UUID if not given")
  private static let extra = CommandOption(
    "extra", .word("JSON"), help: "more members of the record, as a JSON object")

  static let add = Command(
    "add", summary: "add a project",
    details: "Prints its id, or with --json the record. Works without a network, at once.",
    operands: [Operand(name: "TITLE")],
    options: [.body, .state, .due, id, extra],
    examples: [Example("syncd add 'Paint the fence' --due 2026-12-01", "prints the new id")],
    run: { invocation in
      let arguments = invocation.arguments
      var draft = ProjectDraft(title: invocation.operand ?? "")
      if let text = arguments[id] {
        do {
          draft.id = try ProjectID(text)
        } catch {
          throw invocation.usage("--id: \(error)")
        }
      }
      draft.body = arguments[.body] ?? ""
      draft.state = arguments[.state] ?? "todo"
      draft.dueAt = arguments[.due]
      if let json = arguments[extra] {
        do {
          draft.extra = try ExtraMembers(json: json)
        } catch {
          throw invocation.usage("--extra should be a JSON object: \(error)")
        }
      }
      let project = try await invocation.openStore().add(draft)
      try invocation.printWritten(project, project.id.string.printable)
      return .success
    })
}
