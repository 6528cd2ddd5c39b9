import SyncKit

/// What the columns of a CSV file hold: the fields of a record by their names, and whatever else
/// there is as texts of its own.
struct CSVColumns {
  static let standard = [
    "id", "title", "body", "state", "dueAt", "createdAt", "updatedAt", "extra",
  ]

  private let names: [String]

  /// - Parameter header: the first row. The store's own names (`due_at`) are understood as well.
  init(header: [String]) {
    names = header.map { name in
      let trimmed = String(name.drop { $0 == "\u{FEFF}" || $0 == " " })
      let folded = trimmed.lowercased().filter { $0 != "_" && $0 != " " }
      return Self.standard.first { $0.lowercased() == folded } ?? trimmed
    }
  }

  /// What is wrong with a header; nil where projects can be told by it.
  var fault: String? {
    if !names.contains("title"), !names.contains("id") {
      return "names neither a column title nor id"
    }
    let twice = names.first { name in !name.isEmpty && names.count { $0 == name } > 1 }
    return twice.map { "names the column \($0) twice" }
  }

  /// A cell under no column's name, which would be lost.
  struct Surplus: Error, CustomStringConvertible {
    let cell: Int

    var description: String { "cell \(cell) is under no column that has a name" }
  }

  /// The record of a row as JSON. Empty fields of the record count as not given.
  ///
  /// - Throws: `Surplus`, `JSONError`.
  func json(_ fields: [String]) throws -> [UInt8] {
    for (index, field) in fields.enumerated() where !field.isEmpty {
      if index >= names.count || names[index].isEmpty { throw Surplus(cell: index + 1) }
    }
    var members: [String] = []
    for (name, value) in zip(names, fields) where !name.isEmpty {
      if name == "extra" {
        guard !value.isEmpty else { continue }
        let extra = try ExtraMembers(json: value).json
        guard let start = extra.firstIndex(of: "{"), let end = extra.lastIndex(of: "}") else {
          continue
        }
        members.append(String(extra[extra.index(after: start)..<end]))
      } else if !value.isEmpty || ["title", "body"].contains(name) {
        members.append("\(JSONText.string(name)):\(JSONText.string(value))")
      }
    }
    return Array("{\(members.joined(separator: ","))}".utf8)
  }

  /// The row of a project under the standard columns.
  static func row(_ project: Project) -> String {
    [
      project.id.string, project.title, project.body, project.state, project.dueAt ?? "",
      project.createdAt?.description ?? "", project.updatedAt.description, project.extra.json,
    ].map(quoted).joined(separator: ",")
  }

  private static func quoted(_ text: String) -> String {
    let needsQuotes =
      text.utf8.contains { [0x22, 0x2C, 0x3B, 0x09, 0x0A, 0x0D].contains($0) }
      || text.hasPrefix(" ")
    guard needsQuotes else { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}
