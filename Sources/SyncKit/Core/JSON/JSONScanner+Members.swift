extension JSONScanner {
  /// The JSON of the member that a path leads to; nil where there is none.
  package func value(at path: [String]) throws(JSONError) -> [UInt8]? {
    var json = bytes
    for name in path {
      guard json.first(where: { !isJSONSpace($0) }) == UInt8(ascii: "{") else { return nil }
      let reader = JSONScanner(json)
      var scanner = reader
      var found: Range<Int>?
      try scanner.scanObject { (key, value) throws(JSONError) in
        if reader.string(at: key, equals: name) { found = value }
      }
      guard let found else { return nil }
      json = Array(json[found])
    }
    return json
  }

  /// A member's text: a string's, or that of a number or a word; nil where there is none.
  package func text(at path: [String]) -> String? {
    guard let json = try? value(at: path), !json.isEmpty else { return nil }
    let reader = JSONScanner(json)
    switch reader.kind(of: 0..<json.count) {
    case .string: return try? reader.string(at: 0..<json.count)
    case .number, .boolean: return reader.text(at: 0..<json.count)
    default: return nil
    }
  }
}
