import SyncKit

extension Command {
  static let show = Command(
    "show", summary: "show a project",
    operands: [Operand(name: "ID")],
    run: { invocation in
      let store = try invocation.readStore()
      let id = try await store.resolve(invocation.operand ?? "")
      guard let project = try await store.project(id) else {
        throw SyncError(.notFound, "there is no project \(id)")
      }
      try invocation.console.print(
        invocation.printsJSON ? project.json : project.described(for: invocation.console))
      return .success
    })
}

extension Project {
  fileprivate func described(for console: Console) -> String {
    var rows = [("id", id.string), ("state", state)]
    if let dueAt { rows.append(("due", dueAt)) }
    if let createdAt { rows.append(("created", createdAt.short)) }
    rows.append(("updated", updatedAt.short))
    if !extra.json.isEmpty { rows.append(("extra", extra.json)) }
    var lines = [console.styled(title.printable, .bold)]
    lines += rows.map { "  " + $0.0.padded(to: 9) + $0.1.printable }
    if !body.isEmpty {
      lines.append("")
      lines += body.split(separator: "\n", omittingEmptySubsequences: false).map {
        String($0).printable
      }
    }
    return lines.joined(separator: "\n")
  }
}
