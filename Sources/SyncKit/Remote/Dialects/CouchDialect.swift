/// CouchDB, and what speaks its protocol (Cloudant, PouchDB Server): a document a record, bulk writes
/// with a result each, and a feed of changes with deletions. A record's version is its `_rev`.
///
/// `remote.url` is the database.
struct CouchDialect: Dialect {
  static let word = RemoteOptions.Dialect.couchdb
  static let ownedPrefix: String? = "_"
  let context: DialectContext
  private let stampPlace: String

  init(_ context: DialectContext) {
    self.context = context
    stampPlace = RecordFields.path(of: context.codec.fields.updatedAt).joined(separator: ".")
  }

  static func recognises(_ head: HTTPResponseHead) -> Bool {
    head.headers["Server"]?.hasPrefix("CouchDB/") ?? false
  }

  static func fields(_ fields: RecordFields) -> RecordFields {
    var fields = fields
    if fields.id == RecordFields.standard.id { fields.id = "_id" }
    return fields
  }

  static func fault(ofID id: String) -> String? {
    id.hasPrefix("_") ? "CouchDB keeps ids that begin with _ for itself" : nil
  }

  var traits: DialectTraits {
    var traits = DialectTraits()
    (traits.writesPerRequest, traits.fetchesPerRequest) = (500, 500)
    return traits
  }

  func probe() throws -> HTTPRequest { context.request() }

  // MARK: Listing and changes

  var listAt: [String] { ["docs"] }

  func firstPage() throws -> HTTPRequest { find(after: nil) }

  func page(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? {
    guard page.count > 0 else { return nil }
    guard let bookmark = JSONScanner(page.envelope).text(at: ["bookmark"]) else {
      throw context.violation(page.head, "a page of documents without its bookmark")
    }
    return find(after: bookmark)
  }

  private func find(after bookmark: String?) -> HTTPRequest {
    var body: [UInt8] = []
    body.append(
      json: "{\"selector\":{\"_id\":{\"$gt\":null}},\"fields\":[\"_id\",\"_rev\",\"_attachments\",")
    body.append(jsonString: stampPlace)
    body.append(json: "],\"limit\":2000")
    if let bookmark { body.appendMember("bookmark", string: bookmark) }
    body.append(json: "}")
    return context.request(.post, at: "/_find", json: body)
  }

  func listed(_ element: [UInt8]) throws(UnreadableRecord) -> ListedRecord? {
    if isDesign(JSONScanner(element).text(at: ["_id"])) { return nil }
    let reading = try context.read(element)
    let rev = try rev(in: reading.owned, of: reading.entry.id)
    return reading.entry.named(Version(rev), etag: rev)
  }

  private func isDesign(_ id: String?) -> Bool { id?.hasPrefix("_") ?? false }

  private func rev(
    in owned: [String: [UInt8]], of id: ProjectID
  ) throws(UnreadableRecord) -> String {
    guard let rev = owned["_rev"].flatMap({ try? JSONScanner($0).string(at: 0..<$0.count) })
    else { throw UnreadableRecord(id: id.string, reason: "no _rev") }
    guard owned["_attachments"] == nil else {
      throw UnreadableRecord(
        id: id.string, reason: "its document has attachments, which a write would remove")
    }
    return rev
  }

  func versionBeforeListing() async throws -> String? {
    let response = try await context.session.send(collection: context.request())
    return JSONScanner(response.body).text(at: ["update_seq"])
  }

  func changes(since version: String) throws -> HTTPRequest? {
    let since = PercentEncoding.encoded(version)
    return context.request(at: "/_changes", query: "since=\(since)&include_docs=true&limit=1000")
  }

  var changesAt: [String] { ["results"] }

  func change(_ element: [UInt8]) throws(UnreadableRecord) -> RemoteChange? {
    let row = JSONScanner(element)
    guard let text = row.text(at: ["id"]), !isDesign(text) else { return nil }
    if row.text(at: ["deleted"]) == "true" {
      return context.ids.decode(text).flatMap { try? ProjectID($0) }.map { .deleted($0) }
    }
    guard let doc = try? row.value(at: ["doc"]) else {
      throw UnreadableRecord(id: text, reason: "a change without its document")
    }
    return try listed(doc)?.digest.map { .stored($0) }
  }

  func changes(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? {
    let envelope = JSONScanner(page.envelope)
    guard page.count > 0, let last = envelope.text(at: ["last_seq"]),
      envelope.text(at: ["pending"]) != "0"
    else { return nil }
    return try changes(since: last)
  }

  /// A sequence begins with a number that never falls; where it does, the database is another one.
  func version(since version: String, first: ListedPage, last: ListedPage) -> String? {
    guard let now = JSONScanner(last.envelope).text(at: ["last_seq"]) else { return nil }
    guard let after = Int(now.prefix { $0 != "-" }), let before = Int(version.prefix { $0 != "-" }),
      after >= before
    else { return nil }
    return now
  }

  // MARK: Records

  func fetching(_ ids: [ProjectID]) throws -> HTTPRequest {
    var body: [UInt8] = []
    for id in ids {
      body.append(json: body.isEmpty ? "{\"keys\":[" : ",")
      body.append(jsonString: context.ids.encode(id.string))
    }
    body.append(json: "]}")
    return context.request(.post, at: "/_all_docs", query: "include_docs=true", json: body)
  }

  var fetchedAt: [String] { ["rows"] }

  func fetched(_ element: [UInt8]) throws(UnreadableRecord) -> FetchedElement? {
    let row = JSONScanner(element)
    guard let doc = try? row.value(at: ["doc"]), doc != Array("null".utf8) else {
      return row.text(at: ["key"]).map { .absent($0) }
    }
    let (record, owned) = try context.whole(doc)
    let rev = try rev(in: owned, of: record.project.id)
    return .record(record.named(Version(rev), etag: rev))
  }

  /// A document carries its condition: the revision that it replaces, or none.
  func writing(_ writes: [EncodedWrite]) throws -> HTTPRequest {
    var body: [UInt8] = []
    for write in writes {
      body.append(json: body.isEmpty ? "{\"docs\":[" : ",")
      let condition: WriteCondition
      switch write.write {
      case .put(_, let asked):
        body.append(contentsOf: write.body.dropLast())
        condition = asked
      case .delete(let id, let asked):
        body.append(json: "{")
        body.appendMember("_id", string: context.ids.encode(id.string), first: true)
        body.append(json: ",\"_deleted\":true")
        condition = asked
      }
      if case .matches(let digest) = condition {
        body.appendMember("_rev", string: digest.etag ?? digest.version.raw)
      }
      body.append(json: "}")
    }
    body.append(json: "]}")
    return context.request(.post, at: "/_bulk_docs", json: body)
  }

  func outcomes(
    of response: HTTPResponse, _ writes: [EncodedWrite]
  ) throws -> [ItemOutcome]? {
    var rows: [[UInt8]] = []
    var stream = JSONElementStream()
    try? stream.consume(response.body) { rows.append($0) }
    guard (try? stream.finish()) != nil, rows.count == writes.count else { return nil }
    var outcomes: [ItemOutcome] = []
    for (row, write) in zip(rows.map { JSONScanner($0) }, writes) {
      guard row.text(at: ["id"]) == context.ids.encode(write.id.string) else { return nil }
      let reason = row.text(at: ["reason"]) ?? row.text(at: ["error"]) ?? ""
      switch (row.text(at: ["error"]), write.write) {
      case (nil, .delete): outcomes.append(.deleted)
      case (nil, .put):
        guard let rev = row.text(at: ["rev"]) else { return nil }
        outcomes.append(.stored(version: Version(rev), etag: rev, updatedAt: nil))
      case ("conflict", _): outcomes.append(.conflict)
      case ("unauthorized", _): outcomes.append(.refused(status: 401, message: reason))
      case ("forbidden", _): outcomes.append(.refused(status: 403, message: reason))
      default: outcomes.append(.refused(status: 400, message: reason))
      }
    }
    return outcomes
  }
}
