/// Reads one JSON text in place: values are ranges of its bytes, made into Swift values only where
/// they are asked for. RFC 8259, strictly; numbers keep their digits.
package struct JSONScanner {
  package let bytes: [UInt8]
  package private(set) var index: Int
  private let end: Int
  /// How deep the values nest that were read so far.
  package private(set) var deepest = 0

  /// Containers may nest this deep; deeper text is refused rather than recursed into.
  package static let maximumDepth = 128

  package init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    self.bytes = bytes
    index = range?.lowerBound ?? 0
    end = range?.upperBound ?? bytes.count
  }

  package enum Kind { case object, array, string, number, boolean, null }

  /// The kind of the value that `range` begins with.
  package func kind(of range: Range<Int>) -> Kind {
    switch bytes[range.lowerBound] {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  /// Reads the whole text as one object and hands over its members, in their order.
  ///
  /// `key` and `value` are ranges of `bytes`; the key's includes its quotes.
  package mutating func scanObject(
    _ member: (_ key: Range<Int>, _ value: Range<Int>) throws(JSONError) -> Void
  ) throws(JSONError) {
    skipSpace()
    try scanMembers(depth: 0, member)
    try expectEnd()
  }

  /// Reads the whole text as one array and hands over its elements.
  package mutating func scanArray(
    _ element: (_ value: Range<Int>) throws(JSONError) -> Void
  ) throws(JSONError) {
    skipSpace()
    try scanElements(depth: 0, element)
    try expectEnd()
  }

  /// Reads the whole text as one value of any kind.
  package mutating func scanDocument() throws(JSONError) -> Range<Int> {
    let value = try scanValue(depth: 0)
    try expectEnd()
    return value
  }

  // MARK: The grammar

  private mutating func expectEnd() throws(JSONError) {
    skipSpace()
    if index < end { throw failure("text after the end of the value") }
  }

  private mutating func scanMembers(
    depth: Int, _ member: (Range<Int>, Range<Int>) throws(JSONError) -> Void
  ) throws(JSONError) {
    try expect(UInt8(ascii: "{"), "an object")
    skipSpace()
    if take(UInt8(ascii: "}")) { return }
    while true {
      skipSpace()
      let key = try scanString()
      skipSpace()
      try expect(UInt8(ascii: ":"), "a colon")
      let value = try scanValue(depth: depth + 1)
      try member(key, value)
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      try expect(UInt8(ascii: "}"), "a comma or the end of the object")
      return
    }
  }

  private mutating func scanElements(
    depth: Int, _ element: (Range<Int>) throws(JSONError) -> Void
  ) throws(JSONError) {
    try expect(UInt8(ascii: "["), "an array")
    skipSpace()
    if take(UInt8(ascii: "]")) { return }
    while true {
      try element(try scanValue(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      try expect(UInt8(ascii: "]"), "a comma or the end of the array")
      return
    }
  }

  private mutating func scanValue(depth: Int) throws(JSONError) -> Range<Int> {
    skipSpace()
    guard depth <= Self.maximumDepth else { throw failure("nested too deep") }
    if depth > deepest { deepest = depth }
    guard index < end else { throw failure("the text ends where a value should be") }
    let start = index
    switch bytes[index] {
    case UInt8(ascii: "\""): return try scanString()
    case UInt8(ascii: "{"): try scanMembers(depth: depth) { (_, _) throws(JSONError) in }
    case UInt8(ascii: "["): try scanElements(depth: depth) { (_) throws(JSONError) in }
    case UInt8(ascii: "t"): try expect(word: "true")
    case UInt8(ascii: "f"): try expect(word: "false")
    case UInt8(ascii: "n"): try expect(word: "null")
    default: try scanNumber()
    }
    return start..<index
  }

  private mutating func scanString() throws(JSONError) -> Range<Int> {
    let start = index
    try expect(UInt8(ascii: "\""), "a string")
    while true {
      skipPlain()
      guard index < end else { throw failure("the text ends inside a string") }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        return start..<index
      case UInt8(ascii: "\\"):
        index += 1
        try scanEscape()
      default: throw failure("a control character inside a string")
      }
    }
  }

  /// Goes to the next byte of a string that does not stand for itself.
  private mutating func skipPlain() {
    index = bytes.withUnsafeBufferPointer { [index, end] bytes in
      var next = index
      while next < end {
        let byte = bytes[next]
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
        next += 1
      }
      return next
    }
  }

  /// Reads what follows a backslash.
  private mutating func scanEscape() throws(JSONError) {
    guard index < end else { return }
    switch bytes[index] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index += 1
    case UInt8(ascii: "u"):
      guard index + 4 < end else { throw failure("a broken escape") }
      for digit in bytes[index + 1...index + 4] {
        switch digit {
        case 48...57, 65...70, 97...102: continue
        default: throw failure("a broken escape")
        }
      }
      index += 5
    default: throw failure("an unknown escape")
    }
  }

  private mutating func scanNumber() throws(JSONError) {
    let start = index
    _ = take(UInt8(ascii: "-"))
    let whole = skipDigits()
    guard whole > 0, whole == 1 || bytes[index - whole] != UInt8(ascii: "0") else {
      index = start
      throw failure("not a value")
    }
    if take(UInt8(ascii: ".")), skipDigits() == 0 { throw failure("a number without a fraction") }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      if skipDigits() == 0 { throw failure("a number without an exponent") }
    }
  }

  private mutating func skipDigits() -> Int {
    let start = index
    while index < end, (48...57).contains(bytes[index]) { index += 1 }
    return index - start
  }

  private mutating func skipSpace() {
    while index < end, isJSONSpace(bytes[index]) { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < end, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ byte: UInt8, _ what: String) throws(JSONError) {
    if !take(byte) { throw failure("expected \(what)") }
  }

  private mutating func expect(word: StaticString) throws(JSONError) {
    let count = word.utf8CodeUnitCount
    let matches =
      index + count <= end && (0..<count).allSatisfy { bytes[index + $0] == word.utf8Start[$0] }
    guard matches else { throw failure("not a value") }
    index += count
  }

  private func failure(_ message: String) -> JSONError { JSONError(offset: index, message) }
}

@inline(__always)
package func isJSONSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
