/// Texts that may appear in no message: they are replaced wherever a server repeats them.
package struct Redaction: Sendable {
  private var secrets: [String] = []

  package init() {}

  /// Hides the value of a header and what it is made of: `Bearer TOKEN` hides the token as well.
  mutating func hide(_ header: AuthorizationHeader) {
    hide(header.value)
    if let space = header.value.firstIndex(of: " ") {
      let token = header.value[header.value.index(after: space)...]
      hide(String(token))
      if let password = BasicCredentials.password(in: token) { hide(password) }
    }
  }

  package mutating func hide(_ text: String) {
    guard !text.isEmpty, !secrets.contains(text) else { return }
    secrets.append(text)
    secrets.sort { $0.utf8.count > $1.utf8.count }
  }

  /// Hides the value of a header that a user adds, unless that never is a secret.
  package mutating func hide(header name: String, _ value: String) {
    if Self.hides(header: name, value) { hide(AuthorizationHeader(name: name, value: value)) }
  }

  /// Whether a header that a user adds may be a credential: whatever is long enough and not known to be none.
  package static func hides(header name: String, _ value: String) -> Bool {
    value.utf8.count >= 4 && !harmless.contains(name.lowercased())
  }

  private static let harmless: Set = [
    "accept", "accept-language", "accept-profile", "cache-control", "content-profile",
    "content-type",
    "dnt", "from", "prefer", "range-unit", "user-agent",
  ]

  package func applied(to text: String) -> String {
    var text = text
    for secret in secrets { text = Self.replacing(secret, in: text) }
    return text
  }

  private static func replacing(_ secret: String, in text: String) -> String {
    let wanted = Array(secret.utf8)
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    var isFound = false
    while index < bytes.count {
      if bytes[index] == wanted[0], bytes[index...].starts(with: wanted) {
        result.append(contentsOf: "(hidden)".utf8)
        index += wanted.count
        isFound = true
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return isFound ? String(decoding: result, as: UTF8.self) : text
  }
}
