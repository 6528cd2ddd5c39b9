import SyncKit

/// What a command is carried out with.
struct Invocation: Sendable {
  let command: Command
  let arguments: Arguments
  let console: Console
  let environment: Environment

  var printsJSON: Bool { arguments.has(.json) }

  /// The first operand.
  var operand: String? { arguments.operands.first }

  func usage(_ message: String) -> UsageError { UsageError(message, for: command) }

  /// The configuration as flags, environment and file say it, in this order.
  ///
  /// - Throws: `ConfigurationError`.
  func configuration() throws -> Configuration {
    try Configuration.load(arguments: arguments, environment: environment)
  }

  /// The value of an option that is a span of time; a bare number counts seconds.
  func duration(_ option: CommandOption) throws(UsageError) -> Duration? {
    guard let text = arguments[option] else { return nil }
    guard let value = Duration(spelled: text) ?? Duration(spelled: text + "s") else {
      throw usage("--\(option.long): \"\(text)\" is not a duration such as 30s, 15m, 2h or 90d")
    }
    return value
  }
}
