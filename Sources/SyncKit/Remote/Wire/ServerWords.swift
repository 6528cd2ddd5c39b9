/// What a server says of a refusal, as one short line without secrets.
enum ServerWords {
  /// The most characters that are repeated.
  static let limit = 200

  /// Reads problem+json (RFC 9457) and its many relatives, and plain text; says nothing of HTML.
  static func of(_ body: [UInt8], mediaType: MediaType?, hiding secrets: Redaction) -> String {
    let bytes = Array(body.prefix(64 << 10))
    if mediaType?.isHTML == true || startsLikeHTML(bytes) { return "an HTML page" }
    let text = words(inJSON: bytes) ?? String(decoding: bytes, as: UTF8.self)
    return cut(secrets.applied(to: text))
  }

  static func cut(_ text: String) -> String {
    var line = ""
    var count = 0
    for character in text.unicodeScalars {
      if count == limit { return line + "…" }
      let isSpace = character.value <= 0x20 || (0x7F...0x9F).contains(character.value)
      if isSpace {
        if line.isEmpty || line.unicodeScalars.last == " " { continue }
        line.unicodeScalars.append(" ")
      } else {
        line.unicodeScalars.append(character)
      }
      count += 1
    }
    return line.trimmed
  }

  private static func startsLikeHTML(_ bytes: [UInt8]) -> Bool {
    bytes.drop { isJSONSpace($0) }.first == UInt8(ascii: "<")
  }

  /// The first of the members that servers put their words in; `error` may be an object again.
  private static func words(inJSON bytes: [UInt8], depth: Int = 0) -> String? {
    let names = ["detail", "message", "title", "error_description", "error", "msg", "reason"]
    var found: [Int: String] = [:]
    let reader = JSONScanner(bytes)
    var scanner = reader
    try? scanner.scanObject { (key, value) throws(JSONError) in
      guard let rank = names.firstIndex(where: { reader.string(at: key, equals: $0) }) else {
        return
      }
      switch reader.kind(of: value) {
      case .string: found[rank] = try reader.string(at: value)
      case .object where depth == 0: found[rank] = words(inJSON: Array(bytes[value]), depth: 1)
      default: break
      }
    }
    return found.min { $0.key < $1.key }?.value
  }
}

/// The media type of a body, without its parameters. RFC 9110, section 8.3.
struct MediaType: Equatable {
  let name: String

  init?(_ headers: HTTPHeaders) {
    guard let value = headers["Content-Type"] else { return nil }
    name = String(value.prefix { $0 != ";" }).trimmed.lowercased()
    if name.isEmpty { return nil }
  }

  var isHTML: Bool { name == "text/html" || name == "application/xhtml+xml" }

  var isJSON: Bool {
    name == "application/json" || name == "text/json" || name.hasSuffix("+json")
  }

  var isXML: Bool {
    name == "application/xml" || name == "text/xml" || !isHTML && name.hasSuffix("+xml")
  }

  var isJSONLines: Bool {
    isJSON || ["application/x-ndjson", "application/ndjson", "application/jsonl"].contains(name)
  }
}
