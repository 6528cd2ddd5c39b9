import SyncKit

/// What the simulation reads and writes of a store on a connection of its own, as any program may.
struct Row: Hashable {
  var id: ProjectID
  /// The title; each edit writes one that no other edit wrote.
  var token: String
}

extension Database {
  func rows(_ sql: String) throws -> [Row] {
    let statement = try prepare(sql)
    defer { statement.reset() }
    var rows: [Row] = []
    while try statement.step() {
      rows.append(Row(id: ProjectID(trusted: statement.text(0)), token: statement.text(1)))
    }
    return rows
  }

  var current: [Row] {
    get throws { try rows("SELECT id, title FROM projects ORDER BY id") }
  }

  var superseded: [Row] {
    get throws { try rows("SELECT id, title FROM syncd_history ORDER BY version") }
  }

  func token(_ id: ProjectID) throws -> String? {
    try text("SELECT title FROM projects WHERE id=?", [.text(id.string)])
  }
}
