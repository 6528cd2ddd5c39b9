/// Reads one object of the configuration, key by key. What is asked for is what is known: every
/// other key is a fault, and so is a value of the wrong kind. Faults gather; nothing throws.
struct ConfigurationReader {
  /// The faults of a whole file.
  final class Faults {
    let file: String
    private(set) var all: [ConfigurationError.Fault] = []

    init(file: String) { self.file = file }

    func add(_ key: String, _ message: String) {
      all.append(ConfigurationError.Fault(source: file, key: key, message: message))
    }
  }

  let faults: Faults
  private let path: String
  private let members: [String: ConfigurationValue]
  private var known: [String] = []

  init(_ value: ConfigurationValue, path: String = "", faults: Faults) {
    self.faults = faults
    self.path = path
    if case .object(let members) = value {
      self.members = members
    } else {
      members = [:]
      faults.add(path, "should be an object, not \(value.kind)")
    }
  }

  /// The full path of a key of this object.
  func path(_ key: String) -> String { path.isEmpty ? key : path + "." + key }

  func fault(_ key: String, _ message: String) { faults.add(path(key), message) }

  /// A fault of this object as a whole.
  func fault(_ message: String) { faults.add(path, message) }

  /// The names of the keys that are set.
  var keys: [String] { members.keys.sorted() }

  /// The value of a key; `null` counts as not set.
  mutating func value(_ key: String) -> ConfigurationValue? {
    known.append(key)
    return members[key].flatMap { $0 == .null ? nil : $0 }
  }

  mutating func string(_ key: String) -> String? {
    switch value(key) {
    case nil: return nil
    case .string(let text)?: return text
    case let other?: return wrong(key, "text", other)
    }
  }

  mutating func boolean(_ key: String) -> Bool? {
    switch value(key) {
    case nil: return nil
    case .boolean(let value)?: return value
    case let other?: return wrong(key, "true or false", other)
    }
  }

  mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
    switch value(key) {
    case nil: return nil
    case .integer(let number)?:
      if let value = Int(exactly: number), range.contains(value) { return value }
      fault(key, "should be from \(range.lowerBound) to \(range.upperBound), not \(number)")
      return nil
    case let other?: return wrong(key, "a whole number", other)
    }
  }

  mutating func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
    let number: Double
    switch value(key) {
    case nil: return nil
    case .integer(let value)?: number = Double(value)
    case .number(let value)?: number = value
    case let other?: return wrong(key, "a number", other)
    }
    if range.contains(number) { return number }
    fault(key, "should be from \(range.lowerBound) to \(range.upperBound), not \(number)")
    return nil
  }

  mutating func duration(_ key: String) -> Duration? {
    switch value(key) {
    case nil: return nil
    case .string(let text)?:
      if let duration = Duration(spelled: text) { return duration }
      fault(
        key, "\"\(text)\" is not a duration; write a whole number with ms, s, m, h or d: \"15m\"")
      return nil
    case let other?: return wrong(key, "a duration in quotes such as \"15m\"", other)
    }
  }

  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, of type: Choice.Type
  ) -> Choice? where Choice.RawValue == String {
    guard let text = string(key) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    let guess = nearest(to: text, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    fault(key, "\"\(text)\" is not one of \(names.joined(separator: ", "))\(guess)")
    return nil
  }

  mutating func strings(_ key: String) -> [String]? {
    switch value(key) {
    case nil: return nil
    case .array(let elements)?:
      let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
      if texts.count == elements.count { return texts }
      fault(key, "should be a list of texts")
      return nil
    case let other?: return wrong(key, "a list", other)
    }
  }

  /// A program and what it is given, word by word: no shell takes a text apart.
  mutating func command(_ key: String, _ environment: Environment) -> [String]? {
    var copy = self
    if case .string? = copy.value(key) {
      known.append(key)
      fault(key, "should be a list of words such as [\"/usr/bin/logger\", \"synced\"], not text")
      return nil
    }
    guard var words = strings(key) else { return nil }
    guard let program = words.first, !program.isEmpty else {
      fault(key, "is empty")
      return nil
    }
    words[0] = environment.expand(program)
    return words
  }

  mutating func section(_ key: String) -> ConfigurationReader? {
    value(key).map { ConfigurationReader($0, path: path(key), faults: faults) }
  }

  /// Every key of this object, each a text.
  mutating func texts() -> [(key: String, value: String)] {
    keys.compactMap { key in string(key).map { (key, $0) } }
  }

  /// Names every key that nothing asked for, with the nearest one that exists.
  func finish() {
    for key in keys where !known.contains(key) {
      let guess = nearest(to: key, among: known).map { "; did you mean \"\($0)\"?" }
      fault(key, "unknown key" + (guess ?? "; known are \(known.joined(separator: ", "))"))
    }
  }

  private func wrong<Value>(_ key: String, _ wanted: String, _ value: ConfigurationValue) -> Value?
  {
    fault(key, "should be \(wanted), not \(value.kind)")
    return nil
  }
}
