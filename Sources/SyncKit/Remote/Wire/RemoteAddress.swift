/// An http URL taken apart as far as requests need it: where it goes, and to what.
///
/// Written out it is normal: scheme and host in lower case, no default port, nothing in it that a
/// URL cannot hold. RFC 3986.
package struct RemoteAddress: Sendable, Equatable {
  /// Scheme, host and port, or `unix:` and the socket's path with a colon: what credentials may
  /// not leave.
  let origin: String
  /// Begins with a slash.
  var path: String
  /// Without its question mark.
  var query: String?
  /// Whether what is sent cannot be read on the way: TLS, or never off this machine.
  let isPrivate: Bool
  /// Whether it is on this machine, and there without any network.
  let isLocal: Bool

  /// - Throws: `SyncError` with `.configuration`.
  init(_ text: String) throws(SyncError) {
    guard let parsed = RemoteAddress(parsing: text) else {
      throw SyncError(
        .configuration,
        "\(RemoteAddress.hidden(text)) is not the URL of a collection: "
          + RemoteAddress.fault(of: text))
    }
    self = parsed
  }

  /// What keeps a text from being the URL of a collection; none of its secrets.
  private static func fault(of text: String) -> String {
    if text.hasPrefix("unix:") { return "it has the form unix:/path/to.sock:/v1/projects" }
    let scheme = text.firstRange(ofText: "://", from: 0).map { text[..<$0].lowercased() }
    guard let scheme, ["http", "https"].contains(scheme) else {
      return "it begins with https://, http:// or unix:"
    }
    if text.contains("@") {
      return "it holds a user or a password, hidden here, which belong to remote.auth"
    }
    let authority = authority(of: text) ?? ""
    if authority.isEmpty || authority.hasPrefix(":") { return "it names no host" }
    return "\(authority) cannot be a host and a port"
  }

  /// A text that is no URL of a collection, for messages. A password may hold what ends the host of a
  /// URL, so all that stands before the last `@` is hidden.
  private static func hidden(_ text: String) -> String {
    let start =
      text.firstRange(ofText: "://", from: 0).map { text.index($0, offsetBy: 3) }
      ?? text.startIndex
    guard let at = text.lastIndex(of: "@"), at >= start else { return shown(text) }
    return shown(text[..<start] + "(hidden)" + text[at...])
  }

  /// What stands between the scheme and the path.
  private static func authority(of url: String) -> Substring? {
    url.firstRange(ofText: "://", from: 0).map { colon in
      url[url.index(colon, offsetBy: 3)...].prefix { !"/?#".contains($0) }
    }
  }

  private init?(parsing text: String) {
    let text = Self.encoded(text.prefix { $0 != "#" })
    let rest: Substring
    if text.hasPrefix("unix:/") {
      guard let end = text.firstRange(ofText: ":/", from: 6) else { return nil }
      origin = String(text[..<end]) + ":"
      (isPrivate, isLocal) = (true, true)
      rest = text[text.index(after: end)...]
    } else {
      guard let colon = text.firstRange(ofText: "://", from: 0) else { return nil }
      let scheme = text[..<colon].lowercased()
      guard scheme == "http" || scheme == "https" else { return nil }
      let after = text[text.index(colon, offsetBy: 3)...]
      let authority = after.prefix { $0 != "/" && $0 != "?" }
      guard let host = Self.host(authority, scheme: scheme) else { return nil }
      origin = "\(scheme)://\(host)"
      isLocal = Self.isLoopback(host)
      isPrivate = scheme == "https" || isLocal
      rest = after[authority.endIndex...]
    }
    let path = rest.prefix { $0 != "?" }
    self.path = path.isEmpty ? "/" : String(path)
    query = path.endIndex < rest.endIndex ? String(rest[path.endIndex...].dropFirst()) : nil
  }

  private init(_ base: RemoteAddress, path: String, query: String?) {
    (origin, isPrivate, isLocal) = (base.origin, base.isPrivate, base.isLocal)
    (self.path, self.query) = (path, query)
  }

  /// The whole URL, as requests use it.
  var text: String { origin + path + (query.map { "?\($0)" } ?? "") }

  /// The URL without its query, which may hold a key: for messages.
  var shown: String { origin + path }

  /// A URL for messages: without its query, and with a user and password hidden.
  package static func shown(_ url: String) -> String {
    var shown = String(url.prefix { $0 != "?" && $0 != "#" })
    let authority = authority(of: shown) ?? shown.prefix { $0 != "/" }
    if let at = authority.lastIndex(of: "@") {
      shown.replaceSubrange(authority.startIndex..<at, with: "(hidden)")
    }
    return shown
  }

  /// The same URL with parameters added to its query.
  func adding(query added: String?) -> RemoteAddress {
    guard let added, !added.isEmpty else { return self }
    var address = self
    address.query = query.map { $0.isEmpty ? added : "\($0)&\(added)" } ?? added
    return address
  }

  /// What a link found at this URL points to; nil when it is not an http URL. RFC 3986, 5.2.
  func resolving(_ reference: String) -> RemoteAddress? {
    let reference = Self.encoded(reference.prefix { $0 != "#" })
    if Self.hasScheme(reference) { return RemoteAddress(parsing: reference) }
    if reference.hasPrefix("//") {
      return RemoteAddress(parsing: origin.prefix { $0 != ":" } + ":" + reference)
    }
    if reference.isEmpty { return self }
    let path = reference.prefix { $0 != "?" }
    let query =
      path.endIndex < reference.endIndex
      ? String(reference[path.endIndex...].dropFirst()) : nil
    if path.isEmpty { return RemoteAddress(self, path: self.path, query: query) }
    let directory = self.path.prefix(through: self.path.lastIndex(of: "/") ?? self.path.startIndex)
    let merged = path.hasPrefix("/") ? String(path) : String(directory) + path
    return RemoteAddress(self, path: Self.withoutDots(merged), query: query)
  }

  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }

  private static func hasScheme(_ reference: String) -> Bool {
    let head = reference.utf8.prefix { !":/?#".utf8.contains($0) }
    return head.endIndex < reference.utf8.endIndex
      && reference.utf8[head.endIndex] == UInt8(ascii: ":")
  }

  private static func host(_ authority: Substring, scheme: String) -> String? {
    guard !authority.isEmpty, !authority.contains("@") else { return nil }
    let lower = authority.lowercased()
    let end =
      lower.hasPrefix("[")
      ? lower.lastIndex(of: "]").map { lower.index(after: $0) }
      : lower.firstIndex(of: ":") ?? lower.endIndex
    guard let end, end > lower.startIndex else { return nil }
    let port = lower[end...]
    guard !port.isEmpty else { return lower }
    guard port.hasPrefix(":"), port.dropFirst().utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    let number = port.dropFirst()
    let isDefault = number.isEmpty || number == (scheme == "http" ? "80" : "443")
    guard isDefault || UInt16(number) != nil else { return nil }
    return isDefault ? String(lower[..<end]) : lower
  }

  /// RFC 6761, 6.3; RFC 1122, 3.2.1.3; RFC 4291, 2.5.3.
  package static func isLoopback(_ host: String) -> Bool {
    if host.hasPrefix("[::1]") { return true }
    let name = host.prefix { $0 != ":" }
    if name == "localhost" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Percent-encodes what may not stand in a URL; what is encoded already stays.
  private static func encoded(_ text: some StringProtocol) -> String {
    let refused = "\"<>\\^`{|}".utf8
    if !text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || refused.contains($0) }) {
      return String(text)
    }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte <= 0x20 || byte >= 0x7F || refused.contains(byte) {
        bytes.append(percentEncoded: byte)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  /// Where `text` first stands at or after the byte `start`.
  fileprivate func firstRange(ofText text: StaticString, from start: Int) -> String.Index? {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    let bytes = utf8
    guard var index = bytes.index(bytes.startIndex, offsetBy: start, limitedBy: bytes.endIndex)
    else { return nil }
    while index < bytes.endIndex {
      if bytes[index...].starts(with: wanted) { return index }
      index = bytes.index(after: index)
    }
    return nil
  }
}
