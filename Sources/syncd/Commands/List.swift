import SyncKit
import Synchronization

extension Command {
  private static let onlyState = CommandOption(
    "state", .word("STATE"), help: "only projects in this state")

  static let list = Command(
    "list", summary: "list the projects",
    details: """
      On a terminal, ids are cut to a length at which each is still the only one; any command takes \
      them so. In a pipe they are whole. With --json: one array of records.
      """,
    options: [onlyState],
    examples: [Example("syncd list --state doing", "what is being worked on")],
    run: { invocation in
      let store = try invocation.readStore()
      let state = invocation.arguments[onlyState]
      if invocation.printsJSON {
        try await ProjectWriter(sink: invocation.console.out, format: .json)
          .write(store, state: state, Progress(invocation.console, isWanted: false))
      } else {
        try await ProjectList(console: invocation.console).print(store, state: state)
      }
      return .success
    })
}

/// Prints projects in aligned columns without holding them: one reading measures, one prints.
struct ProjectList {
  /// What the first reading finds out.
  struct Measure {
    var previous: [UInt8] = []
    /// Characters of an id that tell it from every other.
    var idLength = 8
    var id = 2
    var state = 5
    var due = 3
    var count = 0
  }

  let console: Console

  func print(_ store: LocalStore, state: String?) async throws {
    let terminal = console.outTerminal
    let shared = Mutex(Measure())
    try await store.forEachProject { project in
      shared.withLock { $0.take(project, isShown: state.map { $0 == project.state } ?? true) }
    }
    let measure = shared.withLock { measure in
      if terminal != nil { measure.id = max(2, min(measure.id, measure.idLength)) }
      return measure
    }
    if measure.count == 0 {
      if terminal != nil {
        console.note(state == nil ? "no projects yet; add one: syncd add TITLE" : "no projects")
      }
      return
    }
    if terminal != nil {
      let header = line("ID", "STATE", "DUE", "TITLE", measure, width: nil)
      try console.print(console.styled(header, .dim))
    }
    let width = terminal?.width
    try await store.forEachProject(state: state) { project in
      let id =
        terminal == nil ? project.id.string : String(project.id.string.prefix(measure.idLength))
      let text = line(
        id.printable, project.state.printable, (project.dueAt ?? "").printable,
        project.title.printable, measure, width: width)
      try console.print(text)
    }
  }

  private func line(
    _ id: String, _ state: String, _ due: String, _ title: String, _ measure: Measure, width: Int?
  ) -> String {
    let start =
      id.padded(to: measure.id) + "  " + state.padded(to: measure.state) + "  "
      + due.padded(to: measure.due) + "  "
    return start + (width.map { title.cut(to: max(8, $0 - start.columns)) } ?? title)
  }
}

extension ProjectList.Measure {
  fileprivate mutating func take(_ project: Project, isShown: Bool) {
    let bytes = Array(project.id.string.utf8)
    let common = zip(previous, bytes).prefix { $0 == $1 }.count
    // Ids come in order, so only a neighbour can share more.
    idLength = max(idLength, common + 1)
    previous = bytes
    guard isShown else { return }
    count += 1
    id = max(id, project.id.string.printable.columns)
    state = max(state, project.state.printable.columns)
    due = max(due, (project.dueAt ?? "").printable.columns)
  }
}
