/// How many entries a listing says it has in all.
enum StatedTotal {
  /// The total that `X-Total-Count`, or else `Content-Range`, names; nil when neither does.
  static func of(_ headers: HTTPHeaders) -> Int? {
    if let count = headers["X-Total-Count"].flatMap({ Int($0.trimmed) }), count >= 0 {
      return count
    }
    return headers["Content-Range"].flatMap(total(inContentRange:))
  }

  /// The part after the slash of `items 0-24/300`, whose unit some servers leave out and whose
  /// total may be `*`. RFC 9110, section 14.4.
  static func total(inContentRange value: String) -> Int? {
    guard let slash = value.lastIndex(of: "/") else { return nil }
    return Int(String(value[value.index(after: slash)...]).trimmed).flatMap { $0 >= 0 ? $0 : nil }
  }
}

extension String {
  /// Without spaces, tabs and line ends around it.
  var trimmed: String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = utf8.drop(while: isSpace)
    guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(self[bytes.startIndex...last])
  }
}
