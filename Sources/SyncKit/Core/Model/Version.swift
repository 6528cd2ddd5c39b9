/// What a remote says changes whenever a record changes: its ETag, revision or own stamp.
///
/// A version is opaque. It is kept and sent back exactly as it came; two versions are equal when
/// they name the same entity, since servers and their proxies spell one ETag in several ways:
/// weak (`W/"5"`), without quotes (`5`), with the suffix of a compressing proxy (`"5-gzip"`).
/// RFC 9110, section 8.8.3.
public struct Version: Sendable, Hashable, CustomStringConvertible {
  /// The version as the remote wrote it.
  public let raw: String

  public init(_ raw: String) {
    self.raw = raw
  }

  /// The version of a record whose remote has none but its stamp.
  public init(_ stamp: Timestamp) {
    self.init(stamp.description)
  }

  public var description: String { raw }

  /// The bytes of that part, for hashes.
  package var entity: Substring.UTF8View {
    // As a rule there are quotes to take away and nothing else; a proxy's suffix ends in p or r.
    let inner = raw.utf8.dropFirst().dropLast()
    guard let last = inner.last, raw.utf8.first == UInt8(ascii: "\""),
      raw.utf8.last == UInt8(ascii: "\""), last != UInt8(ascii: "p"), last != UInt8(ascii: "r")
    else { return opaque }
    return Substring(inner).utf8
  }

  /// The part that names the entity: without `W/`, quotes and a compressing proxy's suffix.
  private var opaque: Substring.UTF8View {
    var text = Substring(raw)
    if text.hasPrefix("W/") || text.hasPrefix("w/") { text = text.dropFirst(2) }
    if text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
      text = text.dropFirst().dropLast()
    }
    for suffix in ["--gzip", "-gzip", "-br", ";gzip"] where text.hasSuffix(suffix) {
      text = text.dropLast(suffix.count)
    }
    return text.utf8
  }

  public static func == (lhs: Version, rhs: Version) -> Bool {
    lhs.raw.utf8.elementsEqual(rhs.raw.utf8) || lhs.opaque.elementsEqual(rhs.opaque)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in opaque { hasher.combine(byte) }
  }
}

/// An opaque version of a whole collection: equal exactly when nothing in it changed.
public struct CollectionVersion: Sendable, Equatable {
  public var raw: String

  public init(_ raw: String) {
    self.raw = raw
  }
}
