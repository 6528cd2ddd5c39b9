/// How a row of `projects` becomes a `Project`, and back.
///
/// Other programs may leave columns NULL or JSON with space around it: they read as the defaults.
enum ProjectRow {
  static let columns = "id, \(Schema.contents)"

  /// - Parameter first: the column that holds the id; the others follow in order.
  static func read(_ row: Statement, from first: Int32 = 0) -> Project {
    Project(
      id: ProjectID(trusted: row.text(first)),
      title: row.text(first + 1),
      body: row.text(first + 2),
      state: row.optionalText(first + 3) ?? "todo",
      dueAt: row.optionalText(first + 4),
      createdAt: row.optionalInteger(first + 5).map(Timestamp.init(microseconds:)),
      updatedAt: Timestamp(microseconds: row.integer(first + 6)),
      extra: extra(row.optionalText(first + 7)))
  }

  private static func extra(_ json: String?) -> ExtraMembers {
    guard let json else { return .none }
    let isPlain = json.utf8.first == UInt8(ascii: "{") && json.utf8.last == UInt8(ascii: "}")
    if isPlain, json.utf8.count > 16 { return ExtraMembers(trusted: json) }
    return (try? ExtraMembers(json: json)) ?? .none
  }

  /// Every column, in the order of `columns`.
  static func values(_ project: Project) -> [SQLValue] {
    [
      .text(project.id.string), .text(project.title), .text(project.body), .text(project.state),
      SQLValue(project.dueAt), SQLValue(project.createdAt?.microseconds),
      .integer(project.updatedAt.microseconds),
      project.extra.json.isEmpty ? .null : .text(project.extra.json),
    ]
  }
}
