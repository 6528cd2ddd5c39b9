/// What a command line said: options by their long names, and the operands in their order.
struct Arguments: Sendable, Equatable {
  private var values: [String: String] = [:]
  private(set) var operands: [String] = []

  init() {}

  subscript(option: CommandOption) -> String? { values[option.long] }

  func has(_ option: CommandOption) -> Bool { values[option.long] != nil }

  mutating func set(_ option: CommandOption, _ value: String) { values[option.long] = value }

  mutating func add(operand: String) { operands.append(operand) }
}
