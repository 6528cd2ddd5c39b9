extension SyncdRemote {
  /// The most bytes of one answer: 4096 ranges and as many items, with the longest ids, and more.
  private static let maximumAnswer: Int64 = 64 << 20

  func offersComparison() async throws -> Bool {
    if !hasAnswered { try note(try await leastOfListing()) }
    return capabilities.hasComparison
  }

  func compare(
    _ asked: [AskedRange], since known: CollectionVersion?
  ) async throws -> (listing: Listing, answer: RangeAnswer)? {
    var request = session.request(
      .post, try endpoint("compare"), body: .bytes(Self.question(asked)))
    request.headers.add("Content-Type", "application/json")
    if let known = known.flatMap({ SyncdCollectionVersion($0) }) {
      request.headers.add("If-None-Match", known.tag)
    }
    request.responseLimit = Self.maximumAnswer
    let response = try await session.send(
      collection: request, accepting: [400, 404, 405, 413, 501])
    guard response.status == 200, Capabilities(response.headers) != nil,
      let answer = try? RangeAnswer(json: response.body)
    else { return nil }
    try note(response.head)
    var listing = Listing(
      version: response.headers["ETag"].map { CollectionVersion($0) },
      remoteID: response.headers["Syncd-Remote-ID"],
      dialect: RemoteOptions.Dialect.syncd.rawValue)
    listing.isPartial = true
    listing.isRolledBack = response.headers["Syncd-Rolled-Back"] != nil
    return (listing, answer)
  }

  private static func question(_ asked: [AskedRange]) -> [UInt8] {
    var body: [UInt8] = []
    body.append(json: "{\"ranges\":[")
    for (index, question) in asked.enumerated() {
      body.append(json: index == 0 ? "{" : ",{")
      var isFirst = true
      func append(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        body.appendMember(name, string: value, first: isFirst)
        isFirst = false
      }
      append("from", question.range.lower?.string)
      append("to", question.range.upper?.string)
      append("fingerprint", question.fingerprint)
      body.append(json: "}")
    }
    body.append(json: "]}")
    return body
  }
}

private struct Unreadable: Error {}

extension RangeAnswer {
  /// - Throws: `JSONError`, `Unreadable`, `UnreadableRecord`, `InvalidProjectID`.
  fileprivate init(json body: [UInt8]) throws {
    var stream = JSONElementStream(path: ["ranges"])
    var ranges: [AnsweredRange] = []
    try stream.consume(body) { ranges.append(try AnsweredRange(json: $0)) }
    let envelope = JSONScanner(try stream.finish())
    var scanner = envelope
    var records: Int?
    try scanner.scanObject { (key, value) throws(JSONError) in
      if envelope.name(at: key, is: "records") { records = Int(envelope.text(at: value)) }
    }
    guard let records else { throw Unreadable() }
    self.init(records: records, ranges: ranges)
  }
}

extension AnsweredRange {
  fileprivate init(json element: [UInt8]) throws {
    let reader = JSONScanner(element)
    var scanner = reader
    var (from, to, fingerprint): (String?, String?, String?)
    var isEqual = false
    var list: Range<Int>?
    try scanner.scanObject { (key, value) throws(JSONError) in
      switch reader.kind(of: value) {
      case .string:
        if reader.name(at: key, is: "from") {
          from = try reader.string(at: value)
        } else if reader.name(at: key, is: "to") {
          to = try reader.string(at: value)
        } else if reader.name(at: key, is: "fingerprint") {
          fingerprint = try reader.string(at: value)
        }
      case .array where reader.name(at: key, is: "items"): list = value
      default:
        if reader.name(at: key, is: "equal") { isEqual = reader.text(at: value) == "true" }
      }
    }
    let range = IDRange(
      from: try from.map { try ProjectID($0) }, to: try to.map { try ProjectID($0) })
    if let list {
      var items: [RemoteDigest] = []
      var stream = JSONElementStream()
      try stream.consume(Array(element[list])) { items.append(try RecordDecoder().digest($0)) }
      _ = try stream.finish()
      guard items.allSatisfy({ $0.etag != nil }) else { throw Unreadable() }
      self.init(range, .items(items))
    } else if let fingerprint {
      self.init(range, .fingerprint(fingerprint))
    } else if isEqual {
      self.init(range, .equal)
    } else {
      throw Unreadable()
    }
  }
}
