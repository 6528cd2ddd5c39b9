/// What a response's `Link` fields say of the next page. RFC 8288, section 3.
struct LinkHeader: Equatable {
  /// The target of the first link whose relation is `next`, as it is written.
  private(set) var next: String?
  /// Whether a part could not be read: then no link may have been missed for the end.
  private(set) var isMalformed = false

  init(_ values: [String]) {
    for value in values {
      var reader = Reader(bytes: Array(value.utf8))
      while let link = reader.readLink() {
        if next == nil, link.relations.contains("next") { next = link.target }
      }
      if reader.isMalformed { isMalformed = true }
    }
  }

  private struct Link {
    var target: String
    var relations: [String]
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0
    var isMalformed = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The next link; nil at the end, and where the text is no link.
    mutating func readLink() -> Link? {
      while index < bytes.count, isSpace || current == UInt8(ascii: ",") { index += 1 }
      guard index < bytes.count else { return nil }
      guard take(UInt8(ascii: "<")) else { return fail() }
      let start = index
      while index < bytes.count, current != UInt8(ascii: ">") { index += 1 }
      guard index < bytes.count else { return fail() }
      var link = Link(target: text(start..<index), relations: [])
      index += 1
      var sawRelation = false
      var isOfAnother = false
      skipSpace()
      while take(UInt8(ascii: ";")) {
        skipSpace()
        let name = token().lowercased()
        skipSpace()
        var value = ""
        if take(UInt8(ascii: "=")) {
          skipSpace()
          guard let read = readValue() else { return fail() }
          value = read
        }
        skipSpace()
        if name == "anchor" { isOfAnother = true }
        if name == "rel", !sawRelation {
          sawRelation = true
          link.relations = value.lowercased().split(separator: " ").map(String.init)
        }
      }
      guard index == bytes.count || current == UInt8(ascii: ",") else { return fail() }
      if isOfAnother { link.relations = [] }
      return link
    }

    private mutating func readValue() -> String? {
      guard take(UInt8(ascii: "\"")) else { return token() }
      var value: [UInt8] = []
      while index < bytes.count {
        if take(UInt8(ascii: "\"")) { return String(decoding: value, as: UTF8.self) }
        if current == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
        value.append(current)
        index += 1
      }
      return nil
    }

    private mutating func token() -> String {
      let start = index
      while index < bytes.count, !isSpace, !",;=\"".utf8.contains(current) { index += 1 }
      return text(start..<index)
    }

    private mutating func fail() -> Link? {
      isMalformed = true
      index = bytes.count
      return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
      guard index < bytes.count, current == byte else { return false }
      index += 1
      return true
    }

    private mutating func skipSpace() {
      while index < bytes.count, isSpace { index += 1 }
    }

    private var current: UInt8 { bytes[index] }
    private var isSpace: Bool { current == 0x20 || current == 0x09 }
    private func text(_ range: Range<Int>) -> String {
      String(decoding: bytes[range], as: UTF8.self)
    }
  }
}
