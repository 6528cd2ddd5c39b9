internal import HTTPServer
internal import SyncKit

/// Goes through a record's members once.
struct RecordReader {
  private let scanner: JSONScanner
  private(set) var id: ProjectID?
  private(set) var stamp: String?
  /// Every member but the id, each after a comma.
  private(set) var members: [UInt8] = []
  private var seen: UInt8 = 0

  private let range: Range<Int>

  init(_ bytes: [UInt8], in range: Range<Int>) {
    scanner = JSONScanner(bytes, in: range)
    self.range = range
    members.reserveCapacity(512)
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
    switch Field(scanner, key) {
    case .id:
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
        append(key, value)
      } else {
        let time = try time(value, "updatedAt")
        stamp = time
        append(key, string: time)
      }
    case .createdAt:
      try once(4, "createdAt")
      if scanner.kind(of: value) == .null || CanonicalStamp.isText(at: value, in: scanner) {
        append(key, value)
      } else {
        append(key, string: try time(value, "createdAt"))
      }
    case .text(let name, let bit, let mayBeNull):
      try once(bit, name)
      let kind = scanner.kind(of: value)
      guard kind == .string || (mayBeNull && kind == .null) else {
        throw Problem(422, "\(name) is not a string")
      }
      append(key, value)
    case .etag:
      throw Problem(422, "a record cannot have a member named etag: listings have one")
    case .other:
      append(key, value)
    }
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

  private mutating func append(_ key: Range<Int>, _ value: Range<Int>) {
    members.append(json: ",")
    members.append(contentsOf: scanner.bytes[key])
    members.append(json: ":")
    members.append(contentsOf: scanner.bytes[value])
  }

  private mutating func append(_ key: Range<Int>, string: String) {
    members.append(json: ",")
    members.append(contentsOf: scanner.bytes[key])
    members.append(json: ":")
    members.append(jsonString: string)
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
