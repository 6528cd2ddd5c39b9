extension ProjectID {
  /// The id as one segment of a URL's path.
  ///
  /// Every byte outside RFC 3986's unreserved characters is percent-encoded; so are the points of
  /// `.` and `..`, which would otherwise name another place.
  var pathSegment: String {
    let bytes = string.utf8
    let isDots = bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8)
    if !isDots, bytes.allSatisfy(\.isUnreserved) { return string }
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count * 3)
    for byte in bytes {
      if byte.isUnreserved, !isDots {
        encoded.append(byte)
      } else {
        encoded.append(percentEncoded: byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isUnreserved: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }
}

extension [UInt8] {
  mutating func append(percentEncoded byte: UInt8) {
    append(UInt8(ascii: "%"))
    for digit in [byte >> 4, byte & 0xF] { append(digit < 10 ? 48 + digit : 55 + digit) }
  }
}
