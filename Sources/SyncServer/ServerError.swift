internal import HTTPServer

/// Why the server cannot start, or a token cannot be made: a code to branch on, and a sentence
/// that says how to mend it. Holds no token.
public struct ServerError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Equatable {
    /// The options are not spelled as they have to be, or do not go together.
    case usage
    /// What an option names cannot be used.
    case configuration
    /// The address cannot be listened on.
    case address
    /// Another server serves this database.
    case locked
    /// The database cannot be opened, read or written, or is not one of ours.
    case store
  }

  public var code: Code
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}

extension ServerError {
  init(_ error: ListenError) {
    let code: Code =
      switch error.code {
      case .usage: .usage
      case .configuration: .configuration
      case .address, .occupied: .address
      }
    self.init(code, error.message)
  }
}
