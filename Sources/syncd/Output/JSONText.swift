/// JSON as text, written member by member in the order of the manual.
struct JSONText: Sendable, Equatable, CustomStringConvertible {
  let description: String

  private init(_ text: String) { description = text }

  /// Text that is JSON already.
  static func raw(_ json: String) -> JSONText { JSONText(json) }

  static let null = JSONText("null")

  static func bool(_ value: Bool) -> JSONText { JSONText(value ? "true" : "false") }

  static func number(_ value: some BinaryInteger) -> JSONText { JSONText(String(value)) }

  static func array(_ elements: [JSONText]) -> JSONText {
    JSONText("[" + elements.map(\.description).joined(separator: ",") + "]")
  }

  static func object(_ members: KeyValuePairs<String, JSONText>) -> JSONText {
    let text = members.map { "\(string($0.key)):\($0.value)" }
    return JSONText("{" + text.joined(separator: ",") + "}")
  }

  static func strings(_ values: [String]) -> JSONText { array(values.map { string($0) }) }

  /// A string, or `null`.
  static func string(_ value: String?) -> JSONText {
    guard let value else { return null }
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return JSONText(text + "\"")
  }
}
