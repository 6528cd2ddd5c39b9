internal import SyncCore

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
      if let name = PercentEncoding.decoded(parts[0]),
        let value = PercentEncoding.decoded(parts.count > 1 ? parts[1] : [])
      {
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

  /// The path of `http://host/path`, which proxies may send (RFC 9112, 3.2.2).
  private static func withoutAuthority(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
      let rest = target.dropFirst(scheme.utf8.count)
      return rest.firstIndex(of: UInt8(ascii: "/")).map { rest[$0...] } ?? Array("/".utf8)[...]
    }
    return target
  }
}
