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
    var walker = Walker(Array(text.unicodeScalars))
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

  private struct Stop: Error {
    let message: String
  }

  private struct Walker {
    let text: [Unicode.Scalar]
    var index = 0
    private var depth = 0

    init(_ text: [Unicode.Scalar]) { self.text = text }

    var isAtEnd: Bool { index >= text.count }
    private var current: Unicode.Scalar? { isAtEnd ? nil : text[index] }

    mutating func skipBlanks() {
      while let scalar = current {
        if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
          index += 1
        } else if scalar == "/", index + 1 < text.count, text[index + 1] == "/" {
          while let scalar = current, scalar != "\n" { index += 1 }
        } else if scalar == "/", index + 1 < text.count, text[index + 1] == "*" {
          index += 2
          while index < text.count, !(text[index - 1] == "*" && text[index] == "/") { index += 1 }
          index += 1
        } else {
          return
        }
      }
    }

    mutating func value() throws(Stop) {
      skipBlanks()
      switch current {
      case nil: throw Stop(message: "the text ends where a value should be")
      case "{": try members()
      case "[": try elements()
      case "\"", "'": try string()
      default: try word(expecting: "a value")
      }
    }

    private mutating func members() throws(Stop) {
      try enter()
      while !take("}") {
        if current == "\"" || current == "'" {
          try string()
        } else {
          try word(expecting: "a key or }")
        }
        guard take(":") else { throw missing("a colon after the key") }
        try value()
        guard take(",") || peek("}") else { throw missing("a comma or }") }
      }
      depth -= 1
    }

    private mutating func elements() throws(Stop) {
      try enter()
      while !take("]") {
        try value()
        guard take(",") || peek("]") else { throw missing("a comma or ]") }
      }
      depth -= 1
    }

    private mutating func enter() throws(Stop) {
      index += 1
      depth += 1
      if depth > 100 { throw Stop(message: "nested too deep") }
      skipBlanks()
    }

    private mutating func string() throws(Stop) {
      let start = index
      let quote = current
      index += 1
      while let scalar = current, scalar != quote {
        if scalar == "\n" { break }
        index += scalar == "\\" ? 2 : 1
      }
      guard current == quote else {
        index = start
        throw Stop(message: "a text without its closing quote")
      }
      index += 1
    }

    private mutating func word(expecting what: String) throws(Stop) {
      let start = index
      while let scalar = current,
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "_$+-.".unicodeScalars.contains(scalar)
      { index += 1 }
      if index == start { throw missing(what) }
    }

    private mutating func peek(_ scalar: Unicode.Scalar) -> Bool {
      skipBlanks()
      return current == scalar
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
      guard peek(scalar) else { return false }
      index += 1
      skipBlanks()
      return true
    }

    private func missing(_ what: String) -> Stop {
      Stop(message: isAtEnd ? "the text ends where \(what) should be" : "expected \(what)")
    }
  }
}
