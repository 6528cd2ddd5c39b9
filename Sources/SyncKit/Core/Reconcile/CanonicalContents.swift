/// The canonical bytes of a record's contents: equal where only spelling differs.
///
/// Servers re-order members, re-space JSON, write `1.10` as `1.1` and `Z` as `+00:00`. Such a record
/// still holds the same contents, so members are sorted by the bytes of their names, numbers are
/// written without what does not change their value, and times are written as moments.
package enum CanonicalContents {
  /// - Parameter omitsCreatedAt: set where one of the two records to compare has no `createdAt`.
  package static func bytes(of project: Project, omitsCreatedAt: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    for text in [project.id.string, project.title, project.body, project.state] {
      bytes.append(jsonString: text)
    }
    bytes.append(jsonString: project.dueAt.map(dueAt))
    if !omitsCreatedAt { bytes.append(jsonString: project.createdAt?.description) }
    let extra = project.extra.json.isEmpty ? "{}" : project.extra.json
    let scanner = JSONScanner(Array(extra.utf8))
    var document = scanner
    if let range = try? document.scanDocument() {
      append(range, of: scanner, to: &bytes)
    } else {
      bytes.append(contentsOf: scanner.bytes)
    }
    return bytes
  }

  /// The canonical bytes of a due date: a moment, however it is written, or the text as it stands.
  static func dueAt(_ text: String) -> String { Timestamp(rfc3339: text)?.description ?? text }

  static func append(_ range: Range<Int>, of scanner: JSONScanner, to bytes: inout [UInt8]) {
    switch scanner.kind(of: range) {
    case .object: appendObject(range, of: scanner, to: &bytes)
    case .array:
      var inner = JSONScanner(scanner.bytes, in: range)
      bytes.append(json: "[")
      try? inner.scanArray { (value) throws(JSONError) in
        append(value, of: scanner, to: &bytes)
        bytes.append(json: ",")
      }
      bytes.append(json: "]")
    case .string:
      bytes.append(jsonString: (try? scanner.string(at: range)) ?? scanner.text(at: range))
    case .number: bytes.append(contentsOf: CanonicalNumber(scanner.bytes[range]).text.utf8)
    case .boolean, .null: bytes.append(contentsOf: scanner.bytes[range])
    }
  }

  private static func appendObject(
    _ range: Range<Int>, of scanner: JSONScanner, to bytes: inout [UInt8]
  ) {
    var inner = JSONScanner(scanner.bytes, in: range)
    var members: [(name: String, value: Range<Int>)] = []
    try? inner.scanObject { (key, value) throws(JSONError) in
      members.append((try scanner.string(at: key), value))
    }
    members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    bytes.append(json: "{")
    for member in members {
      bytes.append(jsonString: member.name)
      bytes.append(json: ":")
      append(member.value, of: scanner, to: &bytes)
      bytes.append(json: ",")
    }
    bytes.append(json: "}")
  }
}

/// A decimal number as sign, digits without surplus zeros, and exponent: `1.10` and `11e-1` are one.
/// A number whose exponent no `Int` holds stays as it is written.
struct CanonicalNumber {
  let text: String

  init(_ number: ArraySlice<UInt8>) {
    var digits: [UInt8] = []
    var exponent = 0
    var overflows = false
    var inFraction = false
    var negative = false
    var index = number.startIndex
    loop: while index < number.endIndex {
      switch number[index] {
      case UInt8(ascii: "-"): negative = true
      case UInt8(ascii: "."): inFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        let written = String(decoding: number[(index + 1)...], as: UTF8.self)
        let (sum, overflow) = exponent.addingReportingOverflow(Int(written) ?? .max)
        (exponent, overflows) = (sum, overflow || Int(written) == nil)
        break loop
      case let digit:
        digits.append(digit)
        if inFraction { exponent -= 1 }
      }
      index += 1
    }
    while digits.last == 48 {
      digits.removeLast()
      let (next, overflow) = exponent.addingReportingOverflow(1)
      (exponent, overflows) = (next, overflows || overflow)
    }
    let significant = digits.drop { $0 == 48 }
    if significant.isEmpty {
      text = "0"
    } else if overflows {
      text = String(decoding: number, as: UTF8.self)
    } else {
      let sign = negative ? "-" : ""
      text = "\(sign)\(String(decoding: significant, as: UTF8.self))e\(exponent)"
    }
  }
}
