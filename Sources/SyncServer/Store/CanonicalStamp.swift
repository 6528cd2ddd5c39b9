internal import SyncKit

/// The way every stamp is kept: `2026-11-30T17:24:00.123456Z`.
enum CanonicalStamp {
  /// The text of a stamp that is spelled so already, as clients of ours do it; nil for any other
  /// value, and for days that not every year has.
  static func text(at value: Range<Int>, in scanner: JSONScanner) -> String? {
    guard isText(at: value, in: scanner) else { return nil }
    return String(
      decoding: scanner.bytes[(value.lowerBound + 1)..<(value.upperBound - 1)], as: UTF8.self)
  }

  /// Whether the stamp at `value` is spelled so already.
  static func isText(at value: Range<Int>, in scanner: JSONScanner) -> Bool {
    guard value.count == template.utf8CodeUnitCount + 2 else { return false }
    let start = value.lowerBound + 1
    return scanner.bytes.withUnsafeBufferPointer { bytes in
      for index in 0..<template.utf8CodeUnitCount {
        let byte = bytes[start + index]
        let expected = template.utf8Start[index]
        let isFit = expected == UInt8(ascii: "0") ? (48...57).contains(byte) : byte == expected
        if !isFit { return false }
      }
      func number(_ offset: Int) -> UInt8 {
        (bytes[start + offset] - 48) * 10 + bytes[start + offset + 1] - 48
      }
      let month = number(5)
      let lastDay: UInt8 = month == 2 ? 28 : [4, 6, 9, 11].contains(month) ? 30 : 31
      return (1...12).contains(month) && (1...lastDay).contains(number(8)) && number(11) < 24
        && number(14) < 60 && number(17) < 60
    }
  }

  private static let template: StaticString = "0000-00-00T00:00:00.000000Z"
}
