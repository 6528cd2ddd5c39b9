/// Why something could not be done at all: a code to branch on, and a sentence that says how to
/// mend it. Holds no secrets and no contents of projects.
public struct SyncError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Equatable {
    /// The local store cannot be read or written, or is damaged.
    case store
    /// Another run holds the store.
    case locked
    /// The remote cannot be reached now, or asks to be left alone for a while.
    case offline
    /// The remote answered something that is not the contract.
    case protocolViolation
    /// The remote refused the credentials.
    case unauthorized
    /// The configuration cannot be used.
    case configuration
    /// There is no such project, version or file.
    case notFound
    /// What was given cannot be taken as it is.
    case invalidInput
  }

  public var code: Code
  /// What failed, on what, in whose words, and what to do next.
  public var message: String
  /// The HTTP status, where a response was the reason.
  public var status: Int?
  public var underlying: (any Error)?

  public init(
    _ code: Code, _ message: String, status: Int? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.status = status
    self.underlying = underlying
  }

  public var description: String { message }
}
