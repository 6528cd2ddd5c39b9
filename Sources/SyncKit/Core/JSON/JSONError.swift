/// Text that is not JSON, or JSON past a limit, and where.
public struct JSONError: Error, Equatable, CustomStringConvertible {
  /// Bytes from the start of the text that was read.
  public let offset: Int
  public let message: String

  package init(offset: Int, _ message: String) {
    self.offset = offset
    self.message = message
  }

  public var description: String { "\(message) at byte \(offset)" }
}
