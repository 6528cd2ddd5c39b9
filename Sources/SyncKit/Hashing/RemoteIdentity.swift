/// What the base knows a remote by: two spellings of one URL are the same remote, and two URLs that
/// differ in more are two, whose records have nothing to do with each other.
///
/// Scheme and host count in lower case, without a default port; a user, a trailing slash and a fragment
/// do not count. The query counts whole, since `?tenant=a` and `?tenant=b` are different collections. It
/// may hold a key, and so stands there as a hash: the identity is no secret.
enum RemoteIdentity {
  /// - Returns: for an identity the same identity.
  static func text(of url: String) -> String {
    let url = url.prefix { $0 != "#" }
    let place = url.prefix { $0 != "?" }
    let query = url[place.endIndex...].dropFirst()
    let text = withoutSlash(address(place))
    if query.isEmpty { return text }
    return "\(text)?\(isHash(query) ? String(query) : hash(query))"
  }

  private static func withoutSlash(_ text: String) -> String {
    var text = Substring(text)
    while text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
    return String(text)
  }

  /// RFC 3986, 6.2.2.1 and 6.2.3.
  private static func address(_ place: Substring) -> String {
    let scheme = place.prefix { $0 != ":" }.lowercased()
    let rest = place.dropFirst(scheme.count)
    guard ["http", "https"].contains(scheme), rest.hasPrefix("://") else { return String(place) }
    let authority = rest.dropFirst(3).prefix { $0 != "/" }
    var host = authority.split(separator: "@").last.map { $0.lowercased() } ?? ""
    for port in [":", scheme == "http" ? ":80" : ":443"] where host.hasSuffix(port) {
      host.removeLast(port.count)
      break
    }
    return "\(scheme)://\(host)\(rest[authority.endIndex...])"
  }

  private static let hashLength = 32

  private static func hash(_ query: Substring) -> String {
    var text = "="
    let digits = Array("0123456789abcdef".utf8)
    for byte in SHA256.hash(Array(query.utf8)).prefix(hashLength / 2) {
      text.append(Character(Unicode.Scalar(digits[Int(byte >> 4)])))
      text.append(Character(Unicode.Scalar(digits[Int(byte & 15)])))
    }
    return text
  }

  /// A parameter without a name: what no collection's URL has.
  private static func isHash(_ query: Substring) -> Bool {
    query.utf8.count == hashLength + 1 && query.utf8.first == UInt8(ascii: "=")
      && query.dropFirst().allSatisfy { $0.isHexDigit && !$0.isUppercase }
  }
}
