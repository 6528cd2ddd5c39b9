/// Why nothing can be listened on: a code to branch on, and a sentence that says how to mend it.
package struct ListenError: Error, Sendable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// An option is written wrongly.
    case usage
    /// An option cannot be used as it is.
    case configuration
    /// The address cannot be listened on.
    case address
    /// Another service answers there.
    case occupied
  }

  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
