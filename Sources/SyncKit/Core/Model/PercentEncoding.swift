/// The percent-encoding of RFC 3986.
package enum PercentEncoding {
  /// A text as one segment of a path, or a value of a query: every byte outside the unreserved characters
  /// is encoded, and so are the points of `.` and `..`, which would otherwise name another place.
  package static func encoded(_ text: String) -> String {
    let bytes = text.utf8
    let isDots = bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8)
    if !isDots, bytes.allSatisfy(\.isUnreserved) { return text }
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

  /// The text that was encoded; nil when an escape is broken or the bytes are not UTF-8. A `+` is a plus.
  package static func decoded(_ encoded: some Collection<UInt8>) -> String? {
    decodedBytes(encoded).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes that were encoded, UTF-8 or not; nil when an escape is broken.
  package static func decodedBytes(_ encoded: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var rest = encoded.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
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

  fileprivate var hexDigitValue: UInt8? {
    switch self {
    case 48...57: self - 48
    case 65...70: self - 55
    case 97...102: self - 87
    default: nil
    }
  }
}

extension [UInt8] {
  package mutating func append(percentEncoded byte: UInt8) {
    append(UInt8(ascii: "%"))
    for digit in [byte >> 4, byte & 0xF] { append(digit < 10 ? 48 + digit : 55 + digit) }
  }
}
