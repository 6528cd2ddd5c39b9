/// Walks through a text of JSON5 without making values of it.
struct JSON5Walker {
  /// Where the text leaves the grammar: at `index`.
  struct Stop: Error {
    let message: String
  }

  /// A key that an object names a second time.
  struct Repetition {
    /// The full path of the key: `remote.url`.
    let key: String
    /// Where the two begin.
    let first: Int
    let second: Int
  }

  let text: [Unicode.Scalar]
  var index = 0
  private var depth = 0
  private(set) var repetitions: [Repetition] = []
  /// The keys that lead to where the walk is.
  private var path: [String] = []

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
    var known: [String: Int] = [:]
    while !take("}") {
      let start = index
      if current == "\"" || current == "'" {
        try string()
      } else {
        try word(expecting: "a key or }")
      }
      let key = Self.name(text[start..<index])
      let full = (path + [key]).joined(separator: ".")
      if let first = known[key] {
        repetitions.append(Repetition(key: full, first: first, second: start))
      }
      known[key] = start
      guard take(":") else { throw missing("a colon after the key") }
      path.append(key)
      try value()
      path.removeLast()
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
        || "_$+-.\\".unicodeScalars.contains(scalar)
    { index += 1 }
    if index == start { throw missing(what) }
  }

  /// What a key is called: without its quotes, its escapes resolved.
  private static func name(_ token: ArraySlice<Unicode.Scalar>) -> String {
    let isQuoted = token.first == "\"" || token.first == "'"
    var rest = isQuoted ? token.dropFirst().dropLast() : token
    var name = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let kind = rest.popFirst() else {
        name.append(scalar)
        continue
      }
      let digits = kind == "u" ? 4 : kind == "x" ? 2 : 0
      let code = UInt32(String(String.UnicodeScalarView(rest.prefix(digits))), radix: 16)
      name.append(code.flatMap(Unicode.Scalar.init) ?? kind)
      rest = rest.dropFirst(digits)
    }
    return String(name)
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
