/// One project: what people write down, and when it was last changed.
public struct Project: Sendable, Equatable {
  public var id: ProjectID
  public var title: String
  public var body: String
  /// `todo`, `doing` or `done`; any other string is kept as it is.
  public var state: String
  /// The due date as it was written; never reformatted.
  public var dueAt: String?
  /// Nil where a remote keeps none.
  public var createdAt: Timestamp?
  /// Strictly increases with every change of the record.
  public var updatedAt: Timestamp
  /// Every other member, carried both ways without loss.
  public var extra: ExtraMembers

  public init(
    id: ProjectID, title: String = "", body: String = "", state: String = "todo",
    dueAt: String? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp,
    extra: ExtraMembers = .none
  ) {
    self.id = id
    self.title = title
    self.body = body
    self.state = state
    self.dueAt = dueAt
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.extra = extra
  }

  /// Bytes of text that this record holds, for budgets of memory and batches.
  package var weight: Int {
    title.utf8.count + body.utf8.count + state.utf8.count + (dueAt?.utf8.count ?? 0)
      + extra.json.utf8.count + 160
  }
}

/// The members of a record that syncd does not know, as the text of a JSON object, so that every
/// number keeps its digits.
public struct ExtraMembers: Sendable, Equatable {
  /// A JSON object, or the empty string for no members.
  public let json: String

  public static let none = ExtraMembers(trusted: "")

  /// - Throws: `JSONError` when `json` is not the text of one JSON object.
  public init(json: String) throws(JSONError) {
    var scanner = JSONScanner(Array(json.utf8))
    var isEmpty = true
    try scanner.scanObject { (_, _) throws(JSONError) in isEmpty = false }
    self.init(trusted: isEmpty ? "" : json)
  }

  /// Wraps text that is known to be a JSON object or empty.
  package init(trusted json: String) {
    self.json = json == "{}" ? "" : json
  }
}
