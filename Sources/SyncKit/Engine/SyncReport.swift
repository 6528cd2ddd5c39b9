/// What one run did, or why it did nothing.
public struct SyncReport: Sendable, Equatable {
  public enum Outcome: String, Sendable {
    case inSync
    /// Done, but some records failed; they are kept and tried again.
    case partial
    /// A guard refused; nothing was changed.
    case refused
    /// Conflicts wait for a decision.
    case conflicts
    case offline
    case locked
    case `protocol`
    case unauthorized
    case storeError
    case configError
  }

  /// Records written on one side.
  public struct Changes: Sendable, Equatable {
    public var appended = 0
    public var updated = 0
    public var deleted = 0

    public init() {}

    public var total: Int { appended + updated + deleted }
  }

  /// One record that could not be written, and the words of whoever refused it.
  public struct Failure: Sendable, Equatable {
    public enum Action: String, Sendable { case append, update, delete }

    public var id: String
    public var action: Action
    /// The HTTP status; 0 where there was no response.
    public var status: Int
    public var message: String

    public init(id: String, action: Action, status: Int = 0, message: String) {
      self.id = id
      self.action = action
      self.status = status
      self.message = message
    }
  }

  public var outcome = Outcome.inSync
  public var direction: Direction
  public var remote = Changes()
  public var local = Changes()
  public var unchanged = 0
  public var adopted = 0
  /// Records whose version on the side to be changed is newer, and was left alone.
  public var remoteNewer = 0
  public var conflicts = 0
  /// Records that the deletion policy kept.
  public var kept = 0
  public var failed: [Failure] = []
  public var refused: Refusal?
  public var requests = 0
  public var bytesSent: Int64 = 0
  public var bytesReceived: Int64 = 0
  public var seconds = 0.0
  /// What there is to say in words: empty when all went well.
  public var message = ""

  public init(direction: Direction) {
    self.direction = direction
  }

  /// Whether the run wrote anything on either side.
  public var wroteAnything: Bool { remote.total + local.total > 0 }
}
