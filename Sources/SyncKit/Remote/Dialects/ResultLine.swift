/// One line of the answer to a batch or a fetch.
struct ResultLine {
  var id: String?
  var status: Int?
  var etag: String?
  var detail: String?
  var updatedAt: Timestamp?
  /// The text of the record.
  var record: [UInt8]?
  /// The tags of the records that were stored one after the other, where the line stands for such a
  /// run.
  var etags: [String]?

  init(_ bytes: [UInt8], _ line: Range<Int>) throws(JSONError) {
    let reader = JSONScanner(bytes, in: line)
    var scanner = reader
    var (count, sequence, hashes): (Int?, Int64?, Range<Int>?)
    try scanner.scanObject { (key, value) throws(JSONError) in
      switch reader.kind(of: value) {
      case .string:
        if reader.name(at: key, is: "id") {
          id = try reader.string(at: value)
        } else if reader.name(at: key, is: "etag") {
          etag = try reader.string(at: value)
        } else if reader.name(at: key, is: "detail") {
          detail = try reader.string(at: value)
        } else if reader.name(at: key, is: "updatedAt") {
          updatedAt = Timestamp(rfc3339: try reader.string(at: value))
        } else if reader.name(at: key, is: "hashes") {
          hashes = value
        }
      case .number where reader.name(at: key, is: "status"):
        status = Int(reader.text(at: value))
      case .number where reader.name(at: key, is: "count"):
        count = Int(reader.text(at: value))
      case .number where reader.name(at: key, is: "sequence"):
        sequence = Int64(reader.text(at: value))
      case .object where reader.name(at: key, is: "record"):
        record = Array(bytes[value])
      default: break
      }
    }
    if let count, let sequence, let hashes {
      etags = try Self.etags(reader, hashes, count: count, from: sequence)
    }
  }

  /// The tag of a record is `"SEQUENCE-HASH"`, the hash in 16 hexadecimal digits.
  private static func etags(
    _ reader: JSONScanner, _ hashes: Range<Int>, count: Int, from sequence: Int64
  ) throws(JSONError) -> [String] {
    let text = reader.bytes[hashes].dropFirst().dropLast()
    guard let bytes = Base64.bytes(text), count > 0, bytes.count == 8 * count,
      sequence > 0, sequence <= Int64.max - Int64(count)
    else {
      throw JSONError(offset: hashes.lowerBound, "a run that has not one hash for each record")
    }
    return (0..<count).map { index in
      var tag: [UInt8] = []
      tag.reserveCapacity(40)
      tag.append(json: "\"")
      tag.append(contentsOf: String(sequence + Int64(index)).utf8)
      tag.append(json: "-")
      for byte in bytes[8 * index..<8 * index + 8] {
        tag.append(hexDigit: byte >> 4)
        tag.append(hexDigit: byte & 0xF)
      }
      tag.append(json: "\"")
      return String(decoding: tag, as: UTF8.self)
    }
  }

  /// Whether the line is about that record; a refusal may name none.
  func names(_ wanted: ProjectID, orNone: Bool) -> Bool {
    id.map { ProjectID(trusted: $0) == wanted } ?? orNone
  }
}

extension SyncdRemote {
  /// The lines of an answer.
  func resultLines(_ response: HTTPResponse, _ request: HTTPRequest) throws -> [ResultLine] {
    guard response.status == 200, MediaType(response.headers)?.isJSONLines ?? true else {
      throw session.violation(
        request.url, "answered \(response.status) with something other than results",
        status: response.status)
    }
    var lines: [ResultLine] = []
    do {
      for line in JSONLines(response.body) { lines.append(try ResultLine(response.body, line)) }
    } catch {
      throw session.violation(request.url, "result \(lines.count + 1) is not JSON: \(error)")
    }
    return lines
  }
}
