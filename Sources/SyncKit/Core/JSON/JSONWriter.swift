/// Appends JSON to a buffer of bytes.
extension [UInt8] {
  /// Appends `text` as it stands.
  package mutating func append(json text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends `text` in quotes, with the escapes that RFC 8259 asks for and no others.
  package mutating func append(jsonString text: String) {
    append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { bytes in
      var start = 0
      for index in 0..<bytes.count {
        let byte = bytes[index]
        if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
        append(contentsOf: bytes[start..<index])
        appendEscape(of: byte)
        start = index + 1
      }
      append(contentsOf: bytes[start..<bytes.count])
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a string or `null`.
  package mutating func append(jsonString text: String?) {
    if let text { append(jsonString: text) } else { append(json: "null") }
  }

  private mutating func appendEscape(of byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    default:
      append(json: "u00")
      append(hexDigit: byte >> 4)
      append(hexDigit: byte & 0xF)
    }
  }

  package mutating func append(hexDigit value: UInt8) {
    append(value < 10 ? 48 + value : 87 + value)
  }
}

extension [UInt8] {
  /// Appends an object's member whose value is a string or `null`.
  package mutating func appendMember(_ name: StaticString, string: String?, first: Bool = false) {
    appendName(name, first: first)
    append(jsonString: string)
  }

  /// Appends an object's member whose value is JSON already.
  package mutating func appendMember(_ name: StaticString, raw: String, first: Bool = false) {
    appendName(name, first: first)
    append(contentsOf: raw.utf8)
  }

  private mutating func appendName(_ name: StaticString, first: Bool) {
    append(json: first ? "\"" : ",\"")
    append(json: name)
    append(json: "\":")
  }
}
