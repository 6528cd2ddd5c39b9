/// A request's target as it came: nothing in it is decoded before it is split.
package struct RequestTarget: Sendable {
  /// The path's segments, still encoded: `["v1", "projects", "a%2Fb"]`.
  package let segments: [ArraySlice<UInt8>]
  private let parameters: [(name: String, value: String)]
  /// A parameter whose escapes are broken, if there is one.
  package let brokenParameter: Bool
  package let count: Int

  package init(_ bytes: [UInt8]) {
    count = bytes.count
    let path: ArraySlice<UInt8>
    var query = ArraySlice<UInt8>()
    if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) {
      path = Self.withoutAuthority(bytes[..<mark])
      query = bytes[(mark + 1)...]
    } else {
      path = Self.withoutAuthority(bytes[...])
    }
    segments =
      path.first == UInt8(ascii: "/")
      ? path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      : []
    var parameters: [(String, String)] = []
    var broken = false
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      if let name = Self.text(parts[0]), let value = Self.text(parts.count > 1 ? parts[1] : []) {
        parameters.append((name, value))
      } else {
        broken = true
      }
    }
    self.parameters = parameters
    brokenParameter = broken
  }

  /// The value of a query parameter; nil when it is not there.
  ///
  /// - Throws: `Problem` 400 when it is there twice.
  package func parameter(_ name: String) throws(Problem) -> String? {
    let values = parameters.filter { $0.name == name }
    guard values.count <= 1 else { throw Problem(400, "the parameter \(name) is there twice") }
    return values.first?.value
  }

  /// Resolves `%` escapes; nil when one is broken or the bytes are not UTF-8. A `+` is a plus.
  package static func text(_ encoded: ArraySlice<UInt8>) -> String? {
    guard encoded.contains(UInt8(ascii: "%")) else {
      return String(validating: encoded, as: UTF8.self)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var index = encoded.startIndex
    while index < encoded.endIndex {
      if encoded[index] != UInt8(ascii: "%") {
        bytes.append(encoded[index])
        index += 1
      } else {
        guard index + 2 < encoded.endIndex, let high = digit(encoded[index + 1]),
          let low = digit(encoded[index + 2])
        else { return nil }
        bytes.append(high << 4 | low)
        index += 3
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Encodes every byte outside RFC 3986's unreserved ones, and ids that are dots alone.
  package static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    let dots = text == "." || text == ".."
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      case UInt8(ascii: ".") where !dots: bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "%"))
        bytes.append(upperHexDigit(byte >> 4))
        bytes.append(upperHexDigit(byte & 0xF))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func upperHexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 48 + value : 55 + value
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }

  /// The path of `http://host/path`, which proxies may send (RFC 9112, 3.2.2).
  private static func withoutAuthority(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
      let rest = target.dropFirst(scheme.utf8.count)
      return rest.firstIndex(of: UInt8(ascii: "/")).map { rest[$0...] } ?? Array("/".utf8)[...]
    }
    return target
  }
}
