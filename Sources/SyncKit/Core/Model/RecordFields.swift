/// What a remote calls the fields of a record.
public struct RecordFields: Sendable, Equatable {
  public var id = "id"
  public var title = "title"
  public var body = "body"
  public var state = "state"
  public var dueAt = "dueAt"
  public var createdAt = "createdAt"
  public var updatedAt = "updatedAt"
  /// The member in which a listing may carry a record's ETag.
  public var etag = "etag"
  /// The member in which a listing may carry a record's revision.
  public var version = "version"

  public init() {}

  /// Our own names, as `--json` and the reference remote use them.
  public static let standard = RecordFields()
}
