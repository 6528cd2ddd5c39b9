internal import CCurl

/// What libcurl is told for a URL, and where a redirect leads.
struct CurlURL {
  /// What stands before the path of a URL that speaks through a socket file.
  private static let socketHost = "http://localhost"

  /// The URL as libcurl takes it.
  var url: String
  /// The socket file to connect to, instead of the URL's host.
  var socketPath: String?

  /// Nil for a URL with bytes that no URL has, or a socket form without its path.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    guard text.hasPrefix("unix:") else {
      url = text
      return
    }
    let rest = text.utf8.dropFirst(5)
    guard rest.first == UInt8(ascii: "/"),
      let colon = rest.indices.first(where: { index in
        rest[index...].starts(with: ":/".utf8)
      })
    else { return nil }
    socketPath = String(rest[..<colon])
    url = Self.socketHost + (String(rest[rest.index(after: colon)...]) ?? "/")
  }

  /// The URL in the form in which callers know it.
  var external: String {
    guard let socketPath else { return url }
    return "unix:\(socketPath):\(url.dropFirst(Self.socketHost.count))"
  }

  /// Where a `Location` leads to; nil unless it is within the same origin (scheme, host, port).
  func redirected(to location: String) -> CurlURL? {
    guard let parts = curl_url(), let base = curl_url() else { return nil }
    defer {
      curl_url_cleanup(parts)
      curl_url_cleanup(base)
    }
    let flags = UInt32(CURLU_PATH_AS_IS | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
    guard curl_url_set(base, CURLUPART_URL, url, flags) == CURLUE_OK,
      curl_url_set(parts, CURLUPART_URL, url, flags) == CURLUE_OK,
      curl_url_set(parts, CURLUPART_URL, location, flags) == CURLUE_OK
    else { return nil }
    for part in [CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT] {
      guard let lhs = Self.text(base, part), let rhs = Self.text(parts, part),
        lhs.lowercased().utf8.elementsEqual(rhs.lowercased().utf8)
      else { return nil }
    }
    for part in [CURLUPART_USER, CURLUPART_PASSWORD] {
      _ = curl_url_set(parts, part, Self.text(base, part), 0)
    }
    _ = curl_url_set(parts, CURLUPART_FRAGMENT, nil, 0)
    guard let target = Self.text(parts, CURLUPART_URL) else { return nil }
    var result = self
    result.url = target
    return result
  }

  private static func text(_ parts: OpaquePointer, _ part: CURLUPart) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags = part == CURLUPART_PORT ? UInt32(CURLU_DEFAULT_PORT) : 0
    guard curl_url_get(parts, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }

  /// A URL without the name and password that it may hold.
  static func withoutUserinfo(_ url: String) -> String {
    let bytes = Array(url.utf8)
    guard let slashes = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) })
    else { return url }
    let start = slashes + 3
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else { return url }
    return String(decoding: bytes[..<start] + bytes[(at + 1)...], as: UTF8.self)
  }
}
