/// Where a page says that the next one is.
extension RemoteSession {
  /// The address that a next link leads to.
  ///
  /// - Throws: `SyncError` with `.protocolViolation` where it is none, or leads elsewhere.
  func next(_ target: String, from base: RemoteAddress) throws -> RemoteAddress {
    guard let next = base.resolving(target) else {
      throw violation(
        base.text, "the next link is no URL: \(ServerWords.cut(RemoteAddress.shown(target)))")
    }
    guard next.origin == base.origin else {
      throw violation(
        base.text,
        "the next link leads to \(ServerWords.cut(next.shown)), which is elsewhere; "
          + "credentials stay on \(base.origin)")
    }
    return next
  }

  /// The text of a member of the text around a list; nil where it is absent, null or empty.
  func text(at path: [String], in json: [UInt8], of url: String) throws -> String? {
    do {
      guard let value = try JSONScanner(json).value(at: path), value != Array("null".utf8) else {
        return nil
      }
      let reader = JSONScanner(value)
      if reader.kind(of: 0..<value.count) == .string {
        let text = try reader.string(at: 0..<value.count)
        return text.isEmpty ? nil : text
      }
    } catch {
      throw violation(url, "the next page cannot be read: \(error.description)")
    }
    throw violation(url, "/\(path.joined(separator: "/")) is not a URL")
  }
}

extension JSONScanner {
  /// The JSON of the member that a path leads to; nil where there is none.
  func value(at path: [String]) throws(JSONError) -> [UInt8]? {
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
}

extension JSONScanner {
  /// A member's text: a string's, or that of a number or a word; nil where there is none.
  func text(at path: [String]) -> String? {
    guard let json = try? value(at: path), !json.isEmpty else { return nil }
    let reader = JSONScanner(json)
    switch reader.kind(of: 0..<json.count) {
    case .string: return try? reader.string(at: 0..<json.count)
    case .number, .boolean: return reader.text(at: 0..<json.count)
    default: return nil
    }
  }
}
