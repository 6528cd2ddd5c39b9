internal import HTTPServer
internal import SyncKit

extension Service {
  /// `POST /v1/projects/compare`: how ranges of the collection are, compared with what the client
  /// knows of them. Every answer is of one moment, and the collection's tag says of which.
  func compare(_ request: Request, in space: String) throws -> Response {
    let asked = try RangeQuestion(request.body).ranges
    let known = try request.field("If-None-Match").map { try EntityTags($0) }
    let answer = try read(space) { connection, space in
      var answer = RangeAnswerText(space: space)
      if case .list(let tags) = known {
        answer.isRolledBack = try tags.contains { try connection.isRolledBack(space, since: $0) }
      }
      for (range, part) in try RangeResponder.answer(asked, from: connection.ranges(of: space)) {
        answer.begin(range)
        switch part {
        case .equal: answer.body.appendMember("equal", raw: "true")
        case .fingerprint(let digest): answer.body.appendMember("fingerprint", string: digest)
        case .list:
          answer.body.append(json: ",\"items\":[")
          var isFirst = true
          try connection.forEachItem(in: range, space: space.key) { item, stamp in
            answer.append(item, stamp, isFirst: isFirst)
            isFirst = false
          }
          answer.body.append(json: "]")
        }
        answer.body.append(json: "}")
      }
      answer.body.append(json: "]}")
      return answer
    }
    let response = Response(200, type: "application/json", body: answer.body)
      .adding(collectionFields(of: answer.space))
    return answer.isRolledBack ? response.adding("Syncd-Rolled-Back", "1") : response
  }
}

/// The ranges that a comparison asks about: `{"ranges":[{"from":"a","to":"b","fingerprint":"…"}]}`.
private struct RangeQuestion {
  private(set) var ranges: [AskedRange] = []

  init(_ body: [UInt8]) throws(Problem) {
    guard String(validating: body, as: UTF8.self) != nil else {
      throw Problem(400, "the body is not UTF-8")
    }
    var ranges: [AskedRange] = []
    var stream = JSONElementStream(path: ["ranges"])
    do {
      try stream.consume(body) { element in
        guard ranges.count <= RangeLimits.asked else { return }
        ranges.append(try AskedRange(json: element))
      }
      _ = try stream.finish()
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(400, "not a question about ranges: \(error)")
    }
    guard ranges.count <= RangeLimits.asked else {
      throw Problem(413, "a comparison asks about at most \(RangeLimits.asked) ranges")
        .adding("maximumItems", RangeLimits.asked)
    }
    self.ranges = ranges
  }
}

extension AskedRange {
  fileprivate init(json element: [UInt8]) throws {
    let reader = JSONScanner(element)
    var scanner = reader
    var (from, to, fingerprint): (String?, String?, String?)
    var isText = true
    try scanner.scanObject { (key, value) throws(JSONError) in
      guard reader.kind(of: value) == .string else {
        isText = false
        return
      }
      if reader.name(at: key, is: "from") {
        from = try reader.string(at: value)
      } else if reader.name(at: key, is: "to") {
        to = try reader.string(at: value)
      } else if reader.name(at: key, is: "fingerprint") {
        fingerprint = try reader.string(at: value)
      }
    }
    guard isText else { throw Problem(400, "a range has members that are not text") }
    let range = IDRange(
      from: try from.map { try ProjectID($0) }, to: try to.map { try ProjectID($0) })
    self.init(range, fingerprint: fingerprint)
  }
}

/// The answer while it is written.
private struct RangeAnswerText: Sendable {
  let space: Space
  var isRolledBack = false
  var body: [UInt8] = []
  private var count = 0

  init(space: Space) {
    self.space = space
    body.append(json: "{\"records\":")
    body.append(contentsOf: String(space.records).utf8)
    body.append(json: ",\"ranges\":[")
  }

  mutating func begin(_ range: IDRange) {
    body.append(json: count == 0 ? "{" : ",{")
    count += 1
    appendBound("from", range.lower, first: true)
    appendBound("to", range.upper, first: false)
  }

  /// A limit that is not there is null.
  private mutating func appendBound(_ name: StaticString, _ id: ProjectID?, first: Bool) {
    if let id {
      body.appendMember(name, string: id.string, first: first)
    } else {
      body.appendMember(name, raw: "null", first: first)
    }
  }

  mutating func append(_ item: RangeItem, _ stamp: String, isFirst: Bool) {
    body.append(json: isFirst ? "{" : ",{")
    body.appendMember("id", string: item.id.string, first: true)
    body.appendMember("updatedAt", string: stamp)
    body.appendMember("etag", string: item.version.raw)
    body.append(json: "}")
  }
}
