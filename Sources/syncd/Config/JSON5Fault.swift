/// The first place where a text leaves the grammar of JSON5 (spec.json5.org), for people.
///
/// Only looked for in texts that a parser has refused, so it may overlook what is wrong inside a
/// number or an escape.
struct JSON5Fault: Equatable, CustomStringConvertible {
  let line: Int
  let column: Int
  let message: String

  var description: String { "line \(line), column \(column): \(message)" }

  init(in text: String) {
    var walker = JSON5Walker(Array(text.unicodeScalars))
    do {
      try walker.value()
      walker.skipBlanks()
      message = walker.isAtEnd ? "not one value" : "text after the end of the value"
    } catch {
      message = error.message
    }
    let before = walker.text[..<min(walker.index, walker.text.count)]
    line = 1 + before.count { $0 == "\n" }
    column = 1 + before.reversed().prefix { $0 != "\n" }.count
  }

  /// The keys that an object of a text names twice, of which a parser takes one or the other.
  static func repetitions(in text: String, file: String) -> [ConfigurationError.Fault] {
    var walker = JSON5Walker(Array(text.unicodeScalars))
    // A parser has accepted the text.
    try? walker.value()
    func line(_ index: Int) -> Int { 1 + walker.text[..<index].count { $0 == "\n" } }
    return walker.repetitions.map { found in
      ConfigurationError.Fault(
        source: file, key: found.key,
        message: "line \(line(found.second)): is given already on line \(line(found.first))")
    }
  }
}
