/// PocketBase: records of a collection, paged by key, written in transactions where the server allows
/// them. It honours no conditions, and takes whoever has a bad token for anybody.
///
/// `remote.url` is `https://host/api/collections/COLLECTION/records`. A record's version is the stamp
/// that the server gives it, with the record's own.
struct PocketBaseDialect: Dialect {
  static let word = RemoteOptions.Dialect.pocketbase
  static let ownedMembers: Set = ["collectionId", "collectionName", "created", "updated", "expand"]
  let context: DialectContext
  /// The path of the server itself, and that of the collection below it.
  private let root: String
  private let path: String
  private let columns: RecordColumns

  init(_ context: DialectContext) throws(SyncError) {
    self.context = context
    columns = try RecordColumns(context)
    guard let root = Self.root(of: context.address.path) else {
      throw SyncError(
        .configuration,
        "\(context.session.url): a collection of PocketBase ends in /api/collections/NAME/records")
    }
    self.root = root
    path = String(context.address.path.dropFirst(root.count))
  }

  static func recognises(_ address: RemoteAddress) -> Bool { root(of: address.path) != nil }

  private static func root(of path: String) -> String? {
    let names = path.split(separator: "/")
    guard names.count >= 4, names.last == "records", names[names.count - 3] == "collections",
      names[names.count - 4] == "api"
    else { return nil }
    return names.dropLast(4).map { "/\($0)" }.joined()
  }

  /// What no field is for is in a text field: a JSON field keeps numbers as 64-bit floats.
  static func fields(_ fields: RecordFields) -> RecordFields {
    var fields = fields
    if fields.extra == .members { fields.extra = .text("extra") }
    return fields
  }

  static func fault(ofID id: String) -> String? {
    guard id.utf8.count <= 255 else { return "its id, as it is written there, is over 255 bytes" }
    let isHeld = id.utf8.allSatisfy {
      $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0)
        || (0x61...0x7A).contains($0 | 0x20)
    }
    return isHeld
      ? nil : "PocketBase holds ids of letters, digits, - and _ alone; see remote.ids for others"
  }

  func fault(of project: Project) -> String? {
    guard case .object = context.codec.fields.extra,
      !project.extra.json.hasOnlyFloats
    else { return nil }
    return "it has a number that PocketBase would round; keep extra as a string, see remote.fields"
  }

  var traits: DialectTraits {
    var traits = DialectTraits()
    traits.conditions = .looked
    traits.writesPerRequest = context.learned["batch"].flatMap { Int($0) } ?? 50
    return traits
  }

  /// Asks whether batches are allowed, and of how many, with one that is longer than any.
  func learn() async throws {
    try await proveAccess()
    let item = "{\"method\":\"DELETE\",\"url\":\"/\"}"
    let many = Array(repeating: item, count: 5001).joined(separator: ",")
    let answer = try await context.session.send(
      record: context.request(
        .post, root: root + "/api/batch", json: Array("{\"requests\":[\(many)]}".utf8)))
    guard case .response(let response, _) = answer else { return }
    let place = ["data", "requests", "params", "max"]
    let most = JSONScanner(response.body).text(at: place).flatMap { Int($0) } ?? 1
    context.learned["batch"] = String(min(max(most, 1), 200))
  }

  func probe() throws -> HTTPRequest {
    context.request(query: "perPage=1&skipTotal=1&fields=\(columns.id)")
  }

  /// Any collection of users tells a token that is good from one that is not: 403 is what a good one
  /// is told that belongs to another collection.
  func proveAccess() async throws {
    guard try await context.hasCredentials() else { return }
    let request = context.request(.post, root: root + "/api/collections/_superusers/auth-refresh")
    guard case .response(let response, _) = try await context.session.send(record: request),
      response.head.isSuccess || response.status == 403
    else { throw context.session.violation(request.url, "does not say whether it takes the token") }
  }

  // MARK: Listing

  var listAt: [String] { ["items"] }

  func versionBeforeListing() async throws -> String? {
    try await proveAccess()
    return nil
  }

  func firstPage() throws -> HTTPRequest { list(filter: nil) }

  private func list(filter: String?) -> HTTPRequest {
    let filter = filter.map { "&filter=" + PercentEncoding.encoded($0) } ?? ""
    return context.request(
      query: "fields=\(columns.id),updated,\(columns.stamp)&sort=\(columns.id)&perPage=1000"
        + filter)
  }

  /// The server says how many records there are from here on.
  func page(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? {
    guard page.count > 0, let last = page.last else { return nil }
    if let total = JSONScanner(page.envelope).text(at: ["totalItems"]).flatMap({ Int($0) }),
      total >= 0, page.count >= total
    {
      return nil
    }
    guard let id = JSONScanner(last).text(at: [columns.id]) else {
      throw context.violation(page.head, "a record without its \(columns.id)")
    }
    return list(filter: "\(columns.id)>\(Self.quoted(id))")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
      + "'"
  }

  func listed(_ element: [UInt8]) throws(UnreadableRecord) -> ListedRecord? {
    try context.read(present(element)).entry.named(version(in: element))
  }

  /// The server's stamp is one of milliseconds.
  private func version(in element: [UInt8]) -> Version {
    let scanner = JSONScanner(element)
    let stamps = [["updated"], [columns.stamp]].map { scanner.text(at: $0) ?? "" }
    return Version(stamps.joined(separator: " "))
  }

  /// A record without the empty texts that stand for times that there are not.
  private func present(_ element: [UInt8]) -> [UInt8] {
    let reader = JSONScanner(element)
    var scanner = reader
    var members: [String] = []
    let isRead: Void? = try? scanner.scanObject { (key, value) throws(JSONError) in
      let isTime = columns.times.contains { reader.string(at: key, equals: $0) }
      let text = reader.text(at: value)
      if !isTime || text != "\"\"" { members.append("\(reader.text(at: key)):\(text)") }
    }
    return isRead == nil ? element : Array("{\(members.joined(separator: ","))}".utf8)
  }

  // MARK: Records

  func fetching(_ ids: [ProjectID]) throws -> HTTPRequest {
    let terms = ids.map { "\(columns.id)=\(Self.quoted(context.ids.encode($0.string)))" }
    let filter = PercentEncoding.encoded("(\(terms.joined(separator: "||")))")
    return context.request(query: "perPage=\(ids.count)&skipTotal=1&filter=\(filter)")
  }

  func fetched(_ element: [UInt8]) throws(UnreadableRecord) -> FetchedElement? {
    .record(try context.whole(present(element)).record.named(version(in: element)))
  }

  func writing(_ writes: [EncodedWrite]) throws -> HTTPRequest {
    guard traits.writesPerRequest > 1 else {
      let call = call(writes[0])
      let suffix = String(call.url.dropFirst(path.count))
      return context.request(call.method, at: suffix, json: call.body)
    }
    var body: [UInt8] = []
    for write in writes {
      body.append(json: body.isEmpty ? "{\"requests\":[{" : ",{")
      let call = call(write)
      body.appendMember("method", string: call.method.rawValue, first: true)
      body.appendMember("url", string: call.url)
      if let record = call.body {
        body.append(json: ",\"body\":")
        body.append(contentsOf: record)
      }
      body.append(json: "}")
    }
    body.append(json: "]}")
    return context.request(.post, root: root + "/api/batch", json: body)
  }

  /// A record is created only where there is none, and changed only where there is one. What is changed
  /// is merged, so that a time that is gone is said to be.
  private func call(_ write: EncodedWrite) -> (method: HTTPMethod, url: String, body: [UInt8]?) {
    let url = "\(path)/\(context.segment(write.id))"
    guard case .put(let project, let condition) = write.write else { return (.delete, url, nil) }
    var body = write.body
    if project.createdAt == nil {
      body.removeLast()
      body.append(json: ",")
      body.append(jsonString: columns.created)
      body.append(json: ":\"\"}")
    }
    if case .absent = condition { return (.post, path, body) }
    return (.patch, url, body)
  }

  func outcomes(of response: HTTPResponse, _ writes: [EncodedWrite]) throws -> [ItemOutcome]? {
    guard traits.writesPerRequest > 1 else { return [outcome(of: response.body, writes[0])] }
    var items: [[UInt8]] = []
    var stream = JSONElementStream()
    try? stream.consume(response.body) { items.append($0) }
    guard (try? stream.finish()) != nil, items.count == writes.count else { return nil }
    return zip(items, writes).map { item, write in
      outcome(of: (try? JSONScanner(item).value(at: ["body"])) ?? [], write)
    }
  }

  /// Fields that the collection does not have are dropped without a word: the answer shows it.
  private func outcome(of body: [UInt8], _ write: EncodedWrite) -> ItemOutcome {
    guard case .put(let project, _) = write.write else { return .deleted }
    guard case .record(let record)? = try? fetched(body) else {
      return .stored(version: nil, etag: nil, updatedAt: nil)
    }
    guard record.project.hasContents(of: project) else {
      return .refused(
        status: 0,
        message: "PocketBase did not keep all of it: does the collection have every field?")
    }
    return .stored(version: record.version, etag: nil, updatedAt: record.project.updatedAt)
  }

  // MARK: Refusals

  /// The first item that made a batch fail, and what it was answered.
  private func failure(
    in response: HTTPResponse, of count: Int
  ) -> (index: Int, answer: JSONScanner)? {
    let reader = JSONScanner(response.body)
    for index in 0..<count {
      let place = ["data", "requests", "\(index)", "response"]
      if let answer = try? reader.value(at: place) { return (index, JSONScanner(answer)) }
    }
    return nil
  }

  func culprit(of response: HTTPResponse, _ writes: [EncodedWrite]) -> Int? {
    failure(in: response, of: writes.count)?.index
  }

  func outcome(ofRefusal response: HTTPResponse, _ write: EncodedWrite) -> ItemOutcome {
    let answer = failure(in: response, of: 1)?.answer ?? JSONScanner(response.body)
    let status = answer.text(at: ["status"]).flatMap { Int($0) } ?? response.status
    if status == 404 {
      if case .delete = write.write { return .deleted }
      return .conflict
    }
    if answer.text(at: ["data", columns.id, "code"]) == "validation_pk_invalid" {
      return .conflict
    }
    let words = ServerWords.of(
      answer.bytes, mediaType: MediaType(response.headers), hiding: context.session.redaction)
    return .refused(status: status, message: words.isEmpty ? "HTTP \(status)" : words)
  }
}

extension String {
  /// Whether every number in a JSON text is one that a 64-bit float holds as it is written.
  fileprivate var hasOnlyFloats: Bool {
    var isQuoted = false
    var isEscaped = false
    var digits = 0
    for byte in utf8 {
      if isQuoted {
        (isEscaped, isQuoted) = (!isEscaped && byte == 0x5C, isEscaped || byte != 0x22)
        continue
      }
      switch byte {
      case 0x22: isQuoted = true
      case 0x30...0x39: digits += 1
      case 0x2E, 0x2D, 0x2B, 0x45, 0x65: break
      default: digits = 0
      }
      if digits > 15 { return false }
    }
    return true
  }
}
