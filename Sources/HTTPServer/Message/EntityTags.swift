/// The conditions of RFC 9110, section 13, as far as a store of records needs them.
package enum EntityTags: Sendable, Equatable {
  /// `*`: any that there is.
  case any
  /// Opaque tags with their quotes; weak ones keep their `W/`.
  case list([String])

  /// - Throws: `Problem` 400 when the field is not a list of entity tags.
  package init(_ field: String) throws(Problem) {
    if field == "*" {
      self = .any
      return
    }
    let bytes = Array(field.utf8)
    var index = 0
    func skip(_ accepted: String) {
      while index < bytes.count, accepted.utf8.contains(bytes[index]) { index += 1 }
    }
    skip(" \t")
    if bytes[index...].elementsEqual("*".utf8) {
      self = .any
      return
    }
    var tags: [String] = []
    while index < bytes.count {
      let start = index
      if bytes[index...].starts(with: "W/".utf8) { index += 2 }
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\""),
        let end = bytes[(index + 1)...].firstIndex(of: UInt8(ascii: "\""))
      else { throw Problem(400, "a condition is not a list of entity tags") }
      index = end + 1
      tags.append(String(decoding: bytes[start..<index], as: UTF8.self))
      skip(" \t,")
    }
    guard !tags.isEmpty else { throw Problem(400, "a condition is empty") }
    self = .list(tags)
  }

  /// Strong comparison, for `If-Match`.
  package func matches(_ tag: String?) -> Bool {
    guard let tag else { return false }
    return switch self {
    case .any: true
    case .list(let tags): tags.contains(tag)
    }
  }

  /// Weak comparison, for `If-None-Match`.
  package func matchesWeakly(_ tag: String?) -> Bool {
    guard let tag else { return false }
    return switch self {
    case .any: true
    case .list(let tags): tags.contains { $0 == tag || $0 == "W/\(tag)" }
    }
  }
}
