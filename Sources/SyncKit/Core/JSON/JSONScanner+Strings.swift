extension JSONScanner {
  /// Whether the string at `range` (quotes included) is `name`, byte for byte.
  package func string(at range: Range<Int>, equals name: String) -> Bool {
    guard isString(range) else { return false }
    let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
    if bytes[inner].contains(UInt8(ascii: "\\")) {
      guard let text = try? string(at: range) else { return false }
      return text.utf8.elementsEqual(name.utf8)
    }
    return inner.count == name.utf8.count && bytes[inner].elementsEqual(name.utf8)
  }

  /// Whether the member's name at `range` (quotes included) is `name`, however it is spelled.
  package func name(at range: Range<Int>, is name: StaticString) -> Bool {
    let start = range.lowerBound + 1
    let count = range.count - 2
    let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return bytes.withUnsafeBufferPointer { bytes in
      if count == wanted.count {
        for index in 0..<count where bytes[start + index] != wanted[index] { return false }
        return true
      }
      // Only an escape makes a name longer than it is.
      guard count > wanted.count,
        UnsafeBufferPointer(rebasing: bytes[start..<start + count]).contains(UInt8(ascii: "\\"))
      else { return false }
      return (try? string(at: range))?.utf8.elementsEqual(wanted) ?? false
    }
  }

  /// The text between the quotes at `range`, its escapes resolved.
  ///
  /// - Throws: `JSONError` where the value is no string; for an unknown escape, a lone surrogate, and bytes that are not UTF-8:
  ///   none of them has a form that could be stored and sent back unchanged.
  package func string(at range: Range<Int>) throws(JSONError) -> String {
    guard isString(range) else {
      throw JSONError(offset: range.lowerBound, "text is expected here")
    }
    let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
    let plain = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) -> String? in
      let text = UnsafeBufferPointer(rebasing: bytes[inner])
      return text.contains(UInt8(ascii: "\\")) ? nil : try utf8(text, offset: inner.lowerBound)
    }
    if let plain { return plain }
    var text: [UInt8] = []
    text.reserveCapacity(inner.count)
    var index = inner.lowerBound
    while index < inner.upperBound {
      if bytes[index] == UInt8(ascii: "\\") {
        try appendEscape(to: &text, at: &index, end: inner.upperBound)
      } else {
        text.append(bytes[index])
        index += 1
      }
    }
    return try text.withUnsafeBufferPointer { text throws(JSONError) in
      try utf8(text, offset: inner.lowerBound)
    }
  }

  /// Whether a value begins like a string. Whoever wrote the document may have put a number there.
  private func isString(_ range: Range<Int>) -> Bool {
    range.count >= 2 && bytes[range.lowerBound] == UInt8(ascii: "\"")
  }

  /// The bytes at `range` as they stand.
  package func text(at range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private func utf8(
    _ bytes: UnsafeBufferPointer<UInt8>, offset: Int
  ) throws(JSONError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw JSONError(offset: offset, "a string that is not UTF-8")
    }
    return text
  }

  private func appendEscape(
    to text: inout [UInt8], at index: inout Int, end: Int
  ) throws(JSONError) {
    guard index + 1 < end else { throw JSONError(offset: index, "a broken escape") }
    let escape = bytes[index + 1]
    index += 2
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      text.append(contentsOf: String(Character(try scalar(at: &index, end: end))).utf8)
    default: throw JSONError(offset: index - 2, "an unknown escape")
    }
  }

  /// The scalar of a `\u` escape whose hexadecimal digits start at `index`, with its other half.
  private func scalar(at index: inout Int, end: Int) throws(JSONError) -> Unicode.Scalar {
    let start = index - 2
    let first = try unit(at: &index, end: end)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first), index + 1 < end,
      bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
    else { throw JSONError(offset: start, "a lone surrogate") }
    index += 2
    let second = try unit(at: &index, end: end)
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(
        0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    else { throw JSONError(offset: start, "a lone surrogate") }
    return scalar
  }

  private func unit(at index: inout Int, end: Int) throws(JSONError) -> UInt16 {
    guard index + 4 <= end else { throw JSONError(offset: index, "a broken escape") }
    var value: UInt16 = 0
    for byte in bytes[index..<index + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw JSONError(offset: index, "a broken escape")
      }
      value = value << 4 | UInt16(digit)
    }
    index += 4
    return value
  }
}
