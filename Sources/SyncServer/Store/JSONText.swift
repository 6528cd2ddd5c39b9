internal import HTTPServer
internal import SyncKit

/// What the grammar alone does not say of a text that will be sent to others.
enum JSONText {
  /// Containers of a record may nest this deep: less than readers accept, since listings and
  /// answers wrap a record into containers of their own.
  static let maximumDepth = 100

  /// Checks the escapes and the nesting of a text that `JSONScanner` accepts.
  ///
  /// - Throws: `Problem` 400 for an escape that JSON does not have, 422 for a lone surrogate,
  ///   which has no form as UTF-8, and for nesting too deep.
  static func check(_ bytes: [UInt8], in range: Range<Int>) throws(Problem) {
    var depth = 0
    var inString = false
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") {
        inString.toggle()
      } else if byte == UInt8(ascii: "\\") {
        try checkEscape(bytes, &index, end: range.upperBound)
      } else if !inString {
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
          depth += 1
          guard depth <= maximumDepth else { throw Problem(422, "the record is nested too deep") }
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          depth -= 1
        }
      }
    }
  }

  private static func checkEscape(
    _ bytes: [UInt8], _ index: inout Int, end: Int
  ) throws(Problem) {
    guard index < end else { throw Problem(400, "a broken escape") }
    let kind = bytes[index]
    index += 1
    if kind != UInt8(ascii: "u") {
      guard "\"\\/bfnrt".utf8.contains(kind) else {
        throw Problem(400, "an escape that JSON does not have")
      }
      return
    }
    let first = try unit(bytes, &index, end: end)
    if (0xD800..<0xDC00).contains(first) {
      guard index + 1 < end, bytes[index] == UInt8(ascii: "\\"),
        bytes[index + 1] == UInt8(ascii: "u")
      else { throw Problem(422, "a lone surrogate") }
      index += 2
      guard (0xDC00..<0xE000).contains(try unit(bytes, &index, end: end)) else {
        throw Problem(422, "a lone surrogate")
      }
    } else if (0xDC00..<0xE000).contains(first) {
      throw Problem(422, "a lone surrogate")
    }
  }

  private static func unit(
    _ bytes: [UInt8], _ index: inout Int, end: Int
  ) throws(Problem) -> UInt16 {
    guard index + 4 <= end else { throw Problem(400, "a broken escape") }
    var value: UInt16 = 0
    for byte in bytes[index..<index + 4] {
      let digit: UInt8
      switch byte {
      case 48...57: digit = byte - 48
      case 65...70: digit = byte - 55
      case 97...102: digit = byte - 87
      default: throw Problem(400, "a broken escape")
      }
      value = value << 4 | UInt16(digit)
    }
    index += 4
    return value
  }
}
