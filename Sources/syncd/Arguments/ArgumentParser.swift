import CGetopt
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a command line by the table.
enum ArgumentParser {
  struct Result: Sendable {
    /// Nil when no command was named.
    var command: Command?
    var arguments: Arguments
  }

  /// - Parameter words: the command line without the program's name.
  /// - Throws: `UsageError`.
  static func parse(_ words: [String], table: [Command] = Command.table) throws -> Result {
    var arguments = Arguments()
    var command: Command?
    var rest = words
    var candidates = table
    while !candidates.isEmpty {
      // Up to the name of a command, options are those of what has been named so far.
      rest = try scan(rest, command: command, stopsAtOperand: true, into: &arguments)
      guard let name = rest.first else { return Result(command: command, arguments: arguments) }
      guard let next = candidates.named(name) else {
        throw UsageError.unknownCommand(name, among: candidates, in: command)
      }
      command = next
      candidates = next.subcommands
      rest.removeFirst()
    }
    rest = try scan(rest, command: command, stopsAtOperand: false, into: &arguments)
    for operand in rest { arguments.add(operand: operand) }
    if let command, !arguments.has(.help) { try check(arguments.operands, of: command) }
    return Result(command: command, arguments: arguments)
  }

  private static func check(_ operands: [String], of command: Command) throws(UsageError) {
    let required = command.operands.filter { !$0.isOptional }
    if operands.count < required.count {
      throw UsageError(
        "syncd \(command.fullName) needs \(required[operands.count].name)", for: command)
    }
    if operands.count > command.operands.count, command.operands.last?.repeats != true {
      let extra = operands[command.operands.count]
      throw UsageError("syncd \(command.fullName) does not take \"\(extra)\"", for: command)
    }
    for (operand, value) in zip(command.operands, operands) {
      if case .choice(let choices) = operand.kind { try check(value, among: choices, for: command) }
    }
  }

  private static func check(
    _ value: String, among choices: [String], as option: String = "", for command: Command?
  ) throws(UsageError) {
    guard !choices.contains(value) else { return }
    let prefix = option.isEmpty ? "" : "\(option): "
    let list = choices.joined(separator: ", ")
    if let guess = nearest(to: value, among: choices) {
      throw UsageError(
        "\(prefix)\"\(value)\" is not one of \(list)", hint: "Did you mean \(guess)?")
    }
    throw UsageError("\(prefix)\"\(value)\" is not one of \(list)", for: command)
  }

  // MARK: getopt_long

  /// getopt's state is the process's own.
  private static let gate = Mutex(())

  /// Takes the options out of `words` and returns the operands.
  private static func scan(
    _ words: [String], command: Command?, stopsAtOperand: Bool, into arguments: inout Arguments
  ) throws(UsageError) -> [String] {
    let options = command?.allOptions ?? CommandOption.global + [.versionFlag]
    let outcome = gate.withLock { _ in
      getopt(words, options: options, stopsAtOperand: stopsAtOperand)
    }
    switch outcome {
    case .failed(let failure): throw failure.usageError(for: command)
    case .scanned(let found, let operands):
      for (option, value) in found {
        if case .choice(let choices)? = option.argument {
          try check(value, among: choices, as: "--" + option.long, for: command)
        }
        arguments.set(option, value)
      }
      return operands
    }
  }

  private enum Outcome: Sendable {
    case scanned([(CommandOption, String)], operands: [String])
    case failed(Failure)
  }

  private struct Failure: Sendable {
    enum Reason {
      case unknown
      case missingArgument
      case unwantedArgument
      case ambiguous([String])
    }

    let reason: Reason
    let option: String

    func usageError(for command: Command?) -> UsageError {
      switch reason {
      case .unknown: .unknownOption(option, command: command)
      case .missingArgument: UsageError("\(option) needs a value", for: command)
      case .unwantedArgument: UsageError("\(option) takes no value", for: command)
      case .ambiguous(let names):
        UsageError(
          "\(option) could be " + names.map { "--" + $0 }.joined(separator: " or "), for: command)
      }
    }
  }

  private static func getopt(
    _ words: [String], options: [CommandOption], stopsAtOperand: Bool
  ) -> Outcome {
    // The vector is permuted in place; the strings stay where they are.
    var vector: [UnsafeMutablePointer<CChar>?] = (["syncd"] + words).map { strdup($0) } + [nil]
    let owned = vector
    defer { for string in owned { free(string) } }
    let names = options.map { strdup($0.long) }
    defer { for name in names { free(name) } }
    var table = zip(options, names).enumerated().map { index, pair in
      option(
        name: pair.1, has_arg: pair.0.argument == nil ? no_argument : required_argument, flag: nil,
        val: longBase + Int32(index))
    }
    table.append(option())
    var short = stopsAtOperand ? "+:" : ":"
    for option in options {
      guard let letter = option.short else { continue }
      short += String(letter) + (option.argument == nil ? "" : ":")
    }

    let count = Int32(vector.count - 1)
    var found: [(CommandOption, String)] = []
    syncd_getopt_start()
    while true {
      let code = getopt_long(count, &vector, short, table, nil)
      if code == -1 { break }
      let current = vector[max(1, Int(syncd_getopt_position()) - 1)].map { String(cString: $0) }
      if code == missing || code == unknown {
        return .failed(failure(code, at: current ?? "", options: options))
      }
      guard
        let option = options.first(where: { $0.short.map(code(of:)) == code })
          ?? options.dropFirst(Int(code - longBase)).first
      else { continue }
      found.append((option, syncd_getopt_argument().map { String(cString: $0) } ?? ""))
    }
    let operands = vector[Int(syncd_getopt_position())..<Int(count)]
    return .scanned(found, operands: operands.compactMap { $0.map { String(cString: $0) } })
  }

  private static func failure(
    _ code: Int32, at word: String, options: [CommandOption]
  ) -> Failure {
    let refused = syncd_getopt_refused()
    let name = String(word.prefix { $0 != "=" })
    guard word.hasPrefix("--") else {
      let letter = UInt8(exactly: refused).map { String(UnicodeScalar($0)) } ?? word
      return Failure(reason: code == missing ? .missingArgument : .unknown, option: "-" + letter)
    }
    if code == missing { return Failure(reason: .missingArgument, option: name) }
    // A refused code that is an option's own says that the option was known.
    if refused >= longBase { return Failure(reason: .unwantedArgument, option: name) }
    let matches = options.map(\.long).filter { $0.hasPrefix(name.dropFirst(2)) }
    return Failure(reason: matches.count > 1 ? .ambiguous(matches) : .unknown, option: name)
  }

  private static let longBase: Int32 = 256
  private static let unknown = Int32(UInt8(ascii: "?"))
  private static let missing = Int32(UInt8(ascii: ":"))

  private static func code(of letter: Character) -> Int32 { letter.asciiValue.map(Int32.init) ?? 0 }
}

extension CommandOption {
  /// Understood where no command is named, because everyone tries it.
  static let versionFlag = CommandOption("version", help: "print the version and exit")
}
