internal import SyncKit

/// A record as a client sent it, checked, in the form it is kept and sent back in: the id first,
/// the stamps as RFC 3339 with six digits, every other member byte for byte, in the client's order.
struct SubmittedRecord: Sendable {
  let id: ProjectID
  /// `updatedAt`, as it is kept.
  let stamp: String
  let json: [UInt8]
  let hash: UInt64

  /// - Parameter id: where the request names it beside the record.
  /// - Throws: `Problem` 400 for what is no JSON, 422 for what is no record.
  init(_ scanner: JSONScanner, named id: ProjectID? = nil) throws(Problem) {
    var reader = RecordReader(scanner)
    try reader.read()
    if let id {
      if let own = reader.id, own != id {
        throw Problem(422, "the record's id is not the one in the URL")
      }
      self.id = id
    } else {
      guard let own = reader.id else { throw Problem(422, "the record has no id") }
      self.id = own
    }
    guard let stamp = reader.stamp else { throw Problem(422, "the record has no updatedAt") }
    self.stamp = stamp
    var json: [UInt8] = []
    json.reserveCapacity(reader.members.count + self.id.string.utf8.count + 16)
    json.append(json: "{\"id\":")
    json.append(jsonString: self.id.string)
    json.append(contentsOf: reader.members)
    json.append(json: "}")
    self.json = json
    hash = ContentsHash.of(json)
  }
}

/// Goes through a record's members once.
private struct RecordReader {
  private let scanner: JSONScanner
  private(set) var id: ProjectID?
  private(set) var stamp: String?
  /// Every member but the id, each after a comma.
  private(set) var members: [UInt8] = []
  private var seen: Set<UInt8> = []

  init(_ scanner: JSONScanner) {
    self.scanner = scanner
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
    if let failure { throw failure }
  }

  private mutating func take(_ key: Range<Int>, _ value: Range<Int>) throws(Problem) {
    switch Field(scanner, key) {
    case .id:
      try once(0, "id")
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
      try once(1, "updatedAt")
      let time = try time(value, "updatedAt")
      stamp = time
      append(key, string: time)
    case .createdAt:
      try once(2, "createdAt")
      if scanner.kind(of: value) == .null {
        append(key, value)
      } else {
        append(key, string: try time(value, "createdAt"))
      }
    case .text(let index, let name, let mayBeNull):
      try once(index, name)
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

  private mutating func once(_ index: UInt8, _ name: String) throws(Problem) {
    guard seen.insert(index).inserted else { throw Problem(422, "\(name) is there twice") }
  }

  private func string(_ value: Range<Int>) throws(Problem) -> String {
    do {
      return try scanner.string(at: value)
    } catch {
      throw Problem(400, "\(error)")
    }
  }

  /// The time at `value` in the form it is kept in.
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
  case text(index: UInt8, name: String, mayBeNull: Bool)

  init(_ scanner: JSONScanner, _ key: Range<Int>) {
    if scanner.string(at: key, equals: "id") {
      self = .id
    } else if scanner.string(at: key, equals: "updatedAt") {
      self = .updatedAt
    } else if scanner.string(at: key, equals: "title") {
      self = .text(index: 3, name: "title", mayBeNull: false)
    } else if scanner.string(at: key, equals: "body") {
      self = .text(index: 4, name: "body", mayBeNull: false)
    } else if scanner.string(at: key, equals: "state") {
      self = .text(index: 5, name: "state", mayBeNull: false)
    } else if scanner.string(at: key, equals: "dueAt") {
      self = .text(index: 6, name: "dueAt", mayBeNull: true)
    } else if scanner.string(at: key, equals: "createdAt") {
      self = .createdAt
    } else if scanner.string(at: key, equals: "etag") {
      self = .etag
    } else {
      self = .other
    }
  }
}
