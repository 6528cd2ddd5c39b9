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
