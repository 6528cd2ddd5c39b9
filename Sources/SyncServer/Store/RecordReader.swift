internal import HTTPServer
internal import SyncKit

/// Goes through a record's members, and tells what is kept of them.
struct RecordReader {
  private let scanner: JSONScanner
  private(set) var id: ProjectID?
  private(set) var stamp: String?
  private var seen: UInt8 = 0
  /// Where the next member begins, as long as the text is in the form it is kept in.
  private var next: Int?
  /// The stamps that are not spelled as they are kept, by where they stand.
  private var respelled: [(value: Range<Int>, text: String)] = []

  private let range: Range<Int>

  init(_ bytes: [UInt8], in range: Range<Int>) {
    scanner = JSONScanner(bytes, in: range)
    self.range = range
    next = range.lowerBound + 1
  }

  /// The record in the form it is kept in: as a rule it came in that form.
  ///
  /// - Parameter id: what it is named by.
  func json(id: ProjectID) -> [UInt8] {
    if self.id != nil, next == range.upperBound { return Array(scanner.bytes[range]) }
    var json: [UInt8] = []
    json.reserveCapacity(range.count + 64)
    json.append(json: "{\"id\":")
    json.append(jsonString: id.string)
    var copy = scanner
    try? copy.scanObject { (key, value) throws(JSONError) in
      if case .id = Field(scanner, key) { return }
      json.append(json: ",")
      json.append(contentsOf: scanner.bytes[key])
      json.append(json: ":")
      if let stamp = respelled.first(where: { $0.value == value }) {
        json.append(jsonString: stamp.text)
      } else {
        json.append(contentsOf: scanner.bytes[value])
      }
    }
    json.append(json: "}")
    return json
  }

  mutating func read() throws(Problem) {
    var failure: Problem?
    var copy = scanner
    do {
      try copy.scanObject { (key, value) throws(JSONError) in
        if failure != nil { return }
        do throws(Problem) {
          try take(key, value)
        } catch {
          failure = error
        }
      }
    } catch {
      throw Problem(400, "not a JSON object: \(error)")
    }
    // Without escapes and deep nesting there is nothing left to check.
    let escapes = scanner.bytes.withUnsafeBufferPointer { $0[range].contains(UInt8(ascii: "\\")) }
    if escapes || copy.deepest >= JSONText.maximumDepth {
      try JSONText.check(scanner.bytes, in: range)
    }
    if let failure { throw failure }
  }

  private mutating func take(_ key: Range<Int>, _ value: Range<Int>) throws(Problem) {
    let isInPlace = key.lowerBound == next && value.lowerBound == key.upperBound + 1
    next = isInPlace ? value.upperBound + 1 : nil
    switch Field(scanner, key) {
    case .id:
      // First, and spelled as we spell it.
      let isFirst = key.lowerBound == range.lowerBound + 1 && key.count == 4
      if !isFirst || scanner.bytes[value].contains(UInt8(ascii: "\\")) { next = nil }
      try once(1, "id")
      guard scanner.kind(of: value) == .string else {
        throw Problem(422, "the id is not a string")
      }
      do {
        id = try ProjectID(try string(value))
      } catch let error as InvalidProjectID {
        throw Problem(422, error.description)
      } catch {
        throw Problem(422, "the id cannot be read")
      }
    case .updatedAt:
      try once(2, "updatedAt")
      if let time = CanonicalStamp.text(at: value, in: scanner) {
        stamp = time
      } else {
        let time = try time(value, "updatedAt")
        stamp = time
        respell(value, time)
      }
    case .createdAt:
      try once(4, "createdAt")
      if scanner.kind(of: value) != .null, !CanonicalStamp.isText(at: value, in: scanner) {
        respell(value, try time(value, "createdAt"))
      }
    case .text(let name, let bit, let mayBeNull):
      try once(bit, name)
      let kind = scanner.kind(of: value)
      guard kind == .string || (mayBeNull && kind == .null) else {
        throw Problem(422, "\(name) is not a string")
      }
    case .etag:
      throw Problem(422, "a record cannot have a member named etag: listings have one")
    case .other: break
    }
  }

  private mutating func respell(_ value: Range<Int>, _ text: String) {
    respelled.append((value, text))
    next = nil
  }

  private mutating func once(_ bit: UInt8, _ name: String) throws(Problem) {
    guard seen & bit == 0 else { throw Problem(422, "\(name) is there twice") }
    seen |= bit
  }

  private func string(_ value: Range<Int>) throws(Problem) -> String {
    do {
      return try scanner.string(at: value)
    } catch {
      throw Problem(400, "\(error)")
    }
  }

  /// The time at `value`, spelled in another way, in the form it is kept in.
  private func time(_ value: Range<Int>, _ name: String) throws(Problem) -> String {
    guard scanner.kind(of: value) == .string, let time = Timestamp(rfc3339: try string(value))
    else { throw Problem(422, "\(name) is not an RFC 3339 time") }
    return time.description
  }
}

/// The members that a record's contract speaks of.
private enum Field {
  case id, updatedAt, createdAt, etag, other
  case text(name: String, bit: UInt8, mayBeNull: Bool)

  /// Told by length and bytes at once, since every member of every record comes by here. A name
  /// that is written with escapes is put into its plain form first.
  init(_ scanner: JSONScanner, _ key: Range<Int>) {
    let inner = (key.lowerBound + 1)..<(key.upperBound - 1)
    self = scanner.bytes.withUnsafeBufferPointer { bytes in
      Field(UnsafeBufferPointer(rebasing: bytes[inner]))
    }
    if case .other = self, scanner.bytes[inner].contains(UInt8(ascii: "\\")),
      let name = try? scanner.string(at: key)
    {
      self = Array(name.utf8).withUnsafeBufferPointer { Field($0) }
    }
  }

  private init(_ name: UnsafeBufferPointer<UInt8>) {
    func matches(_ known: StaticString) -> Bool {
      name.elementsEqual(UnsafeBufferPointer(start: known.utf8Start, count: name.count))
    }
    switch name.count {
    case 2 where matches("id"): self = .id
    case 4 where matches("body"): self = .text(name: "body", bit: 8, mayBeNull: false)
    case 4 where matches("etag"): self = .etag
    case 5 where matches("title"): self = .text(name: "title", bit: 16, mayBeNull: false)
    case 5 where matches("state"): self = .text(name: "state", bit: 32, mayBeNull: false)
    case 5 where matches("dueAt"): self = .text(name: "dueAt", bit: 64, mayBeNull: true)
    case 9 where matches("updatedAt"): self = .updatedAt
    case 9 where matches("createdAt"): self = .createdAt
    default: self = .other
    }
  }
}
