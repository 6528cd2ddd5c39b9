import SyncKit

/// Makes UUIDs of version 7 (RFC 9562, 5.7 and 6.2), lower case, each greater than the one before:
/// projects that are imported together keep the order of their file.
struct FreshIDs {
  /// 48 bits of milliseconds and 12 bits that count within one.
  private var stamp: UInt64

  init(at moment: Timestamp) {
    stamp = UInt64(max(0, moment.microseconds / 1000)) << 12 | UInt64.random(in: 0..<0x400)
  }

  mutating func next() throws -> ProjectID {
    stamp += 1
    let high = (stamp >> 12) << 16 | 0x7000 | (stamp & 0xFFF)
    let low = UInt64.random(in: 0..<1 << 62) | 1 << 63
    let digits = Self.hexadecimal(high) + Self.hexadecimal(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return try ProjectID(text)
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
