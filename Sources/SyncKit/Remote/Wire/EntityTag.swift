/// An entity tag as conditions use it. RFC 9110, section 8.8.3.
struct EntityTag: Sendable, Equatable {
  /// With its quotes.
  let text: String

  /// - Returns: nil for a weak tag, which `If-Match` never matches (section 13.1.1).
  init?(strong raw: String) {
    let raw = raw.trimmed
    guard !raw.isEmpty, !raw.hasPrefix("W/"), !raw.hasPrefix("w/") else { return nil }
    guard raw.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    text = raw.utf8.count >= 2 && raw.hasPrefix("\"") && raw.hasSuffix("\"") ? raw : "\"\(raw)\""
  }

  /// The tag without what a compressing proxy added to it; nil where it added nothing.
  var withoutEncoding: EntityTag? {
    for suffix in ["-gzip\"", "-br\"", ";gzip\""] where text.hasSuffix(suffix) {
      return EntityTag(strong: text.dropLast(suffix.utf8.count) + "\"")
    }
    return nil
  }
}
