/// How ids are written on the remote.
public enum IDCodec: String, Sendable, CaseIterable {
  /// As they are; an id that the server cannot hold is set aside.
  case plain
  /// In letters and digits alone: lower-case base32hex, RFC 4648, section 7, without padding. For
  /// servers whose ids have a narrow alphabet.
  case base32hex

  func encode(_ id: String) -> String {
    guard self == .base32hex else { return id }
    var text: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in id.utf8 {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(Self.digit(bits >> UInt32(count) & 31))
      }
      bits &= (1 << UInt32(count)) - 1
    }
    if count > 0 { text.append(Self.digit(bits << UInt32(5 - count) & 31)) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for a text that `encode` does not give.
  func decode(_ text: String) -> String? {
    guard self == .base32hex else { return text }
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in text.utf8 {
      let value: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "v"): value = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> UInt32(count) & 255))
      }
      bits &= (1 << UInt32(count)) - 1
    }
    guard bits == 0, count < 5, !bytes.isEmpty else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    UInt8(value < 10 ? 48 + value : 87 + value)
  }
}
