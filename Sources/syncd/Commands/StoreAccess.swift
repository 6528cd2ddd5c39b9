import SyncKit

extension Invocation {
  /// The store to be written, made where there is none.
  func openStore() throws -> LocalStore { try LocalStore(path: configuration().store) }

  /// The store to be read; says so when there is none yet, and takes it for empty.
  func readStore() throws -> LocalStore {
    let path = try configuration().store
    if !FileContents.exists(path) { console.note("syncd: there is no store at \(path) yet") }
    return try LocalStore(path: path, access: .readOnly)
  }

  /// Prints one project that was just written: the record with `--json`, else `text`.
  func printWritten(_ project: Project, _ text: String) throws {
    if printsJSON {
      try console.print(project.json)
    } else if !console.isQuiet {
      try console.print(text)
    }
  }
}
