/// One line of the answer to a batch or a fetch.
struct ResultLine {
  var id: String?
  var status: Int?
  var etag: String?
  var detail: String?
  var updatedAt: Timestamp?
  /// The text of the record.
  var record: [UInt8]?

  init(_ bytes: [UInt8], _ line: Range<Int>) throws(JSONError) {
    let reader = JSONScanner(bytes, in: line)
    var scanner = reader
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
        }
      case .number where reader.name(at: key, is: "status"):
        status = Int(reader.text(at: value))
      case .object where reader.name(at: key, is: "record"):
        record = Array(bytes[value])
      default: break
      }
    }
  }

  /// Whether the line is about that record; a refusal may name none.
  func names(_ wanted: ProjectID, orNone: Bool) -> Bool {
    id.map { ProjectID(trusted: $0) == wanted } ?? orNone
  }
}

extension SyncdRemote {
  /// The lines of an answer, exactly as many as were asked for.
  func resultLines(
    _ response: HTTPResponse, count: Int, _ request: HTTPRequest
  ) throws -> [ResultLine] {
    guard response.status == 200, MediaType(response.headers)?.isJSONLines ?? true else {
      throw session.violation(
        request.url, "answered \(response.status) with something other than results",
        status: response.status)
    }
    var lines: [ResultLine] = []
    lines.reserveCapacity(count)
    do {
      for line in JSONLines(response.body) { lines.append(try ResultLine(response.body, line)) }
    } catch {
      throw session.violation(request.url, "result \(lines.count + 1) is not JSON: \(error)")
    }
    guard lines.count == count else {
      throw session.violation(request.url, "\(lines.count) results came for \(count) records")
    }
    return lines
  }
}
