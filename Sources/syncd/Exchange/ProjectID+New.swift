import SyncKit

extension ProjectID {
  /// A new UUIDv7 (RFC 9562, 5.7), lower case: ids made later sort later.
  static func fresh(at moment: Timestamp) -> ProjectID? {
    let milliseconds = UInt64(max(0, moment.microseconds / 1000))
    let high = milliseconds << 16 | 0x7000 | UInt64.random(in: 0..<0x1000)
    let low = UInt64.random(in: 0..<1 << 62) | 1 << 63
    let digits = hexadecimal(high) + hexadecimal(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return try? ProjectID(text)
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
