/// Why a configuration cannot be used: each fault with its file and key. Holds no values that could
/// be secrets.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  struct Fault: Sendable, Equatable, CustomStringConvertible {
    /// Where it was said: a file, an option, a variable; empty where it was said nowhere.
    var source: String
    /// The full path of the key: `remote.tls.ca`; empty where no key is at fault.
    var key: String
    var message: String

    var description: String {
      [source, key, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
  }

  let faults: [Fault]

  init(_ faults: [Fault]) { self.faults = faults }

  init(file: String = "", key: String = "", _ message: String) {
    faults = [Fault(source: file, key: key, message: message)]
  }

  var description: String { faults.map(\.description).joined(separator: "\n") }
}
