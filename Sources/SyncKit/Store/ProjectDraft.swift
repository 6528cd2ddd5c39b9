/// A project that is to be added: what a person gives, without stamps.
public struct ProjectDraft: Sendable, Equatable {
  /// Nil makes a new id.
  public var id: ProjectID?
  public var title: String
  public var body: String
  public var state: String
  /// An RFC 3339 time or a date, kept as it is written.
  public var dueAt: String?
  public var extra: ExtraMembers

  public init(
    id: ProjectID? = nil, title: String, body: String = "", state: String = "todo",
    dueAt: String? = nil, extra: ExtraMembers = .none
  ) {
    self.id = id
    self.title = title
    self.body = body
    self.state = state
    self.dueAt = dueAt
    self.extra = extra
  }
}

/// What is to change in a project; nil leaves a field as it is.
public struct ProjectEdit: Sendable, Equatable {
  public var title: String?
  public var body: String?
  public var state: String?
  /// `.some(nil)` takes the due date away.
  public var dueAt: String??

  public init(
    title: String? = nil, body: String? = nil, state: String? = nil, dueAt: String?? = nil
  ) {
    self.title = title
    self.body = body
    self.state = state
    self.dueAt = dueAt
  }
}
