import CSodium
internal import SyncKit

/// Random names and secrets from the system's generator, and their hashes.
enum Randomness {
  /// libsodium wants to be started once.
  private static let isReady = sodium_init() >= 0

  static func bytes(_ count: Int) -> [UInt8] {
    _ = isReady
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
  }

  static func hexadecimal(_ count: Int) -> String {
    var text: [UInt8] = []
    for byte in bytes(count) {
      text.append(hexDigit: byte >> 4)
      text.append(hexDigit: byte & 0xF)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A version 4 UUID, lower case.
  static func uuid() -> String {
    var digits = Array(hexadecimal(16))
    digits[12] = "4"
    let variants: [Character] = ["8", "9", "a", "b"]
    digits[16] = variants[(digits[16].hexDigitValue ?? 0) & 3]
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }
}
