/// What was found out of a remote by trying, and of which server: another version of it may do
/// otherwise, and is tried anew.
public struct RemoteCapabilities: Sendable, Equatable {
  /// What the server called itself then, with its version; nil where it said nothing.
  public var server: String?
  /// Whether conditions on writes are honoured; nil where no write has shown it.
  public var honoursConditions: Bool?
  /// What was found of writes, in words for people; empty where nobody looked.
  public var findings: [Finding] = []
  /// When the findings were made.
  public var foundAt: Timestamp?

  public init() {}

  public struct Finding: Sendable, Equatable {
    /// `sound`, `limit` or `fault`.
    public var kind: String
    public var message: String

    public init(kind: String, message: String) {
      (self.kind, self.message) = (kind, message)
    }
  }
}
