/// What the command was asked for.
struct Options: Sendable {
  var first: UInt64 = 1
  var seeds: UInt64 = 1000
  var devices = 3
  var events = 60
  var schedule: String?
  /// Whether every step is printed.
  var isVerbose = false
  /// Failing seeds after which the search ends.
  var failures = 5
  var minimises = true
  /// Whether the mutants are looked for rather than faults.
  var seeksMutants = false

  static let usage = """
    usage: syncd-simulate [--seed FIRST] [--seeds COUNT] [--devices N] [--events N]
             [--failures N] [--as-it-is] [--verbose]
           syncd-simulate --schedule FILE [--verbose]
           syncd-simulate --mutants [--seeds COUNT]
    """

  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    func number<Number: FixedWidthInteger>(_ name: String, _ rest: inout ArraySlice<String>) throws
      -> Number
    {
      guard let number = rest.popFirst().flatMap({ Number($0) }), number > 0 else {
        throw Wrong(description: "\(name) needs a number from 1")
      }
      return number
    }
    while let name = rest.popFirst() {
      switch name {
      case "--seed": first = try number(name, &rest)
      case "--seeds": seeds = try number(name, &rest)
      case "--devices": devices = try number(name, &rest)
      case "--events": events = try number(name, &rest)
      case "--failures": failures = try number(name, &rest)
      case "--as-it-is": minimises = false
      case "--mutants": seeksMutants = true
      case "--verbose": isVerbose = true
      case "--schedule": schedule = rest.popFirst()
      default: throw Wrong(description: "\(name) is not known")
      }
    }
  }
}
