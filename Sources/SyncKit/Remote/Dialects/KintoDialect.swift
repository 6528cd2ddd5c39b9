/// Kinto: batches with a status for each item, conditions, and the changes since a version with
/// deletions. A record's version is `last_modified`; its `updatedAt` is a member like any other.
///
/// `remote.url` is `https://host/v1/buckets/BUCKET/collections/COLLECTION/records`.
struct KintoDialect: Dialect {
  static let word = RemoteOptions.Dialect.kinto
  static let ownedMembers: Set = ["last_modified", "schema", "deleted"]
  let context: DialectContext
  /// What the path of the server itself is, and that of the collection below it.
  private let root: String
  private let path: String
  private let stampPlace: String

  init(_ context: DialectContext) throws(SyncError) {
    self.context = context
    guard let parts = Self.parts(of: context.address.path) else {
      throw SyncError(
        .configuration,
        "\(context.session.url): the collection of a Kinto server ends in "
          + "/buckets/NAME/collections/NAME/records")
    }
    (root, path) = parts
    let fields = context.codec.fields
    stampPlace = RecordFields.path(of: fields.updatedAt).map(PercentEncoding.encoded)
      .joined(separator: ".")
  }

  static func recognises(_ address: RemoteAddress) -> Bool { parts(of: address.path) != nil }

  private static func parts(of path: String) -> (String, String)? {
    let names = path.split(separator: "/")
    guard names.count >= 5, names.last == "records", names[names.count - 3] == "collections",
      names[names.count - 5] == "buckets"
    else { return nil }
    return (
      names.dropLast(5).map { "/\($0)" }.joined(), names.suffix(5).map { "/\($0)" }.joined()
    )
  }

  static func fault(ofID id: String) -> String? {
    let isWord = { (byte: UInt8) in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: false
      }
    }
    let isHeld =
      id.utf8.first.map(isWord) == true
      && id.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    return isHeld
      ? nil : "Kinto holds ids of letters, digits, - and _ alone; see remote.ids for others"
  }

  var traits: DialectTraits {
    var traits = DialectTraits()
    traits.writesPerRequest = context.learned["batch"].flatMap { Int($0) } ?? 25
    return traits
  }

  func learn() async throws {
    let response = try await context.session.send(
      collection: context.request(root: root + "/"), accepting: [400, 404])
    let hello = JSONScanner(response.body)
    context.learned["batch"] = hello.text(at: ["settings", "batch_max_requests"])
    context.learned["version"] = hello.text(at: ["project_version"])
  }

  func probe() throws -> HTTPRequest { context.request(query: "_limit=1&_fields=\(stampPlace)") }

  // MARK: Listing and changes

  var listAt: [String] { ["data"] }

  func firstPage() throws -> HTTPRequest {
    context.request(query: "_fields=\(stampPlace)&_sort=id")
  }

  func page(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? {
    try page.head.headers["Next-Page"].map { try context.request(following: $0, of: request) }
  }

  func listed(_ element: [UInt8]) throws(UnreadableRecord) -> ListedRecord? {
    let reading = try context.read(element)
    let version = try version(in: reading.owned, of: reading.entry.id)
    return reading.entry.named(version, etag: "\"\(version)\"")
  }

  private func version(
    in owned: [String: [UInt8]], of id: ProjectID
  ) throws(UnreadableRecord) -> Version {
    guard let number = owned["last_modified"] else {
      throw UnreadableRecord(id: id.string, reason: "no last_modified")
    }
    return Version(String(decoding: number, as: UTF8.self))
  }

  func version(of head: HTTPResponseHead) -> String? {
    head.headers["ETag"]?.split(separator: "\"").last.map(String.init)
  }

  func changes(since version: String) throws -> HTTPRequest? {
    var request = context.request(
      query: "_since=\(version)&_sort=last_modified&_fields=deleted,\(stampPlace)")
    request.headers.add("If-None-Match", "\"\(version)\"")
    return request
  }

  func change(_ element: [UInt8]) throws(UnreadableRecord) -> RemoteChange? {
    if JSONScanner(element).text(at: ["deleted"]) == "true" {
      let text = JSONScanner(element).text(at: ["id"]) ?? ""
      guard let id = context.ids.decode(text).flatMap({ try? ProjectID($0) }) else { return nil }
      return .deleted(id)
    }
    return try listed(element)?.digest.map { .stored($0) }
  }

  /// Every change is later than the one before; a server that counts anew is another one.
  func version(since version: String, first: ListedPage, last: ListedPage) -> String? {
    guard let now = self.version(of: first.head), let before = Int64(version),
      let after = Int64(now), after >= before
    else { return nil }
    return now
  }

  // MARK: Records

  /// Ids are quoted, for what looks like JSON is read as JSON.
  func fetching(_ ids: [ProjectID]) throws -> HTTPRequest {
    let list = ids.map { "%22\(context.segment($0))%22" }.joined(separator: ",")
    return context.request(query: "in_id=\(list)")
  }

  func fetched(_ element: [UInt8]) throws(UnreadableRecord) -> FetchedElement? {
    let (record, owned) = try context.whole(element)
    let version = try version(in: owned, of: record.project.id)
    return .record(record.named(version, etag: "\"\(version)\""))
  }

  func writing(_ writes: [EncodedWrite]) throws -> HTTPRequest {
    var body: [UInt8] = []
    body.append(json: "{\"requests\":[")
    for (index, write) in writes.enumerated() {
      body.append(json: index == 0 ? "{" : ",{")
      body.appendMember("path", string: "\(path)/\(context.segment(write.id))", first: true)
      switch write.write {
      case .put(_, let condition):
        body.append(json: ",\"method\":\"PUT\",\"body\":{\"data\":")
        body.append(contentsOf: write.body)
        body.append(json: "},")
        append(condition, to: &body)
      case .delete(_, let condition):
        body.append(json: ",\"method\":\"DELETE\",")
        append(condition, to: &body)
      }
      body.append(json: "}")
    }
    body.append(json: "]}")
    return context.request(.post, root: root + "/batch", json: body)
  }

  private func append(_ condition: WriteCondition, to body: inout [UInt8]) {
    body.append(json: "\"headers\":{")
    switch condition {
    case .absent, .new, .lost: body.appendMember("If-None-Match", string: "*", first: true)
    case .matches(let digest):
      body.appendMember("If-Match", string: digest.etag ?? "\"\(digest.version)\"", first: true)
    }
    body.append(json: "}")
  }

  func outcomes(
    of response: HTTPResponse, _ writes: [EncodedWrite]
  ) throws -> [ItemOutcome]? {
    var elements: [[UInt8]] = []
    var stream = JSONElementStream(path: ["responses"])
    try? stream.consume(response.body) { elements.append($0) }
    guard (try? stream.finish()) != nil, elements.count == writes.count else { return nil }
    return zip(elements, writes).map { element, write in
      let item = JSONScanner(element)
      let status = item.text(at: ["status"]).flatMap { Int($0) } ?? 0
      switch (status, write.write) {
      case (200..<300, .put):
        guard let data = try? item.value(at: ["body", "data"]),
          case .record(let record)? = try? fetched(data)
        else { return .stored(version: nil, etag: nil, updatedAt: nil) }
        return .stored(
          version: record.version, etag: record.etag, updatedAt: record.project.updatedAt)
      case (200..<300, .delete), (404, .delete): return .deleted
      case (412, _): return .conflict
      default:
        let words = ServerWords.of(
          (try? item.value(at: ["body"])) ?? [], mediaType: nil,
          hiding: context.session.redaction)
        return status >= 500 || status == 429
          ? .again(status: status, message: words) : .refused(status: status, message: words)
      }
    }
  }
}
