/// Firestore over REST: documents with typed values, and writes that each carry a condition.
///
/// `remote.url` is the collection,
/// `https://firestore.googleapis.com/v1/projects/P/databases/(default)/documents/COLLECTION`. An id is
/// the last part of a document's name; a record's version is its `updateTime`.
struct FirestoreDialect: Dialect {
  static let word = RemoteOptions.Dialect.firestore
  let context: DialectContext
  let collection: FirestoreCollection
  /// The fields of a document that are ours: the id first, what no field is for last.
  let columns: [(name: String, type: FirestoreType)]
  private let stamp: String

  init(_ context: DialectContext) throws(SyncError) {
    self.context = context
    let names = try RecordColumns(context)
    let fields = context.codec.fields
    guard case .text = fields.extra else {
      throw SyncError(
        .configuration,
        "remote.fields.extra: Firestore holds no arrays in arrays; keep it as a string")
    }
    guard let collection = FirestoreCollection(path: context.address.path) else {
      throw SyncError(
        .configuration,
        "\(context.session.url): a collection of Firestore is "
          + ".../v1/projects/PROJECT/databases/DATABASE/documents/COLLECTION")
    }
    self.collection = collection
    stamp = names.stamp
    let types: [FirestoreType] = [
      .text, .text, .text, .text, .date, FirestoreType(fields.createdAtForm),
      FirestoreType(fields.updatedAtForm), .text,
    ]
    columns = zip(names.all, types).map { (name: $0, type: $1) }
  }

  static func recognises(_ address: RemoteAddress) -> Bool {
    FirestoreCollection(path: address.path) != nil
  }

  static func fields(_ fields: RecordFields) -> RecordFields {
    var fields = fields
    if fields.extra == .members { fields.extra = .text("extra") }
    return fields
  }

  static func fault(ofID id: String) -> String? {
    let isReserved = id.utf8.count >= 4 && id.hasPrefix("__") && id.hasSuffix("__")
    let isHeld = !id.utf8.contains(UInt8(ascii: "/")) && id != "." && id != ".." && !isReserved
    guard isHeld else {
      return "Firestore holds no id with a slash, nor ., .. or __x__; see remote.ids for others"
    }
    return id.utf8.count <= 1500 ? nil : "its id, as it is written there, is over 1500 bytes"
  }

  func fault(of project: Project) -> String? {
    let stamps = [project.updatedAt, project.createdAt ?? project.updatedAt]
    return stamps.allSatisfy(FirestoreType.holds)
      ? nil : "Firestore holds moments of the years 1 to 9999 alone"
  }

  var traits: DialectTraits {
    var traits = DialectTraits()
    (traits.writesPerRequest, traits.fetchesPerRequest) = (500, 300)
    traits.bytesPerRequest = 8 << 20
    traits.namesAbsent = true
    return traits
  }

  func probe() throws -> HTTPRequest { query(after: nil, limit: 1) }

  // MARK: Listing

  func firstPage() throws -> HTTPRequest { query(after: nil, limit: 1000) }

  /// Documents by name, which is the order of their bytes and needs no index.
  private func query(after name: String?, limit: Int) -> HTTPRequest {
    var body: [UInt8] = []
    body.append(json: "{\"structuredQuery\":{\"select\":{\"fields\":[{")
    body.appendMember("fieldPath", string: Self.path(of: stamp), first: true)
    body.append(json: "}]},\"from\":[{")
    body.appendMember("collectionId", string: collection.name, first: true)
    body.append(json: "}],\"orderBy\":[{\"field\":{\"fieldPath\":\"__name__\"},")
    body.append(json: "\"direction\":\"ASCENDING\"}]")
    body.appendMember("limit", raw: "\(limit)")
    if let name {
      body.append(json: ",\"startAt\":{\"before\":false,\"values\":[{")
      body.appendMember("referenceValue", string: name, first: true)
      body.append(json: "}]}")
    }
    body.append(json: "}}")
    return context.request(.post, root: collection.parent + ":runQuery", json: body)
  }

  /// The last page is the one without a document. An answer is a stream, whose last element may be an
  /// error: what came before it is no page.
  func page(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? {
    guard let last = page.last else { return nil }
    guard let name = JSONScanner(last).text(at: ["document", "name"]) else {
      let words = JSONScanner(last).text(at: ["error", "message"]) ?? "no document, and no end"
      throw context.violation(page.head, "the listing broke off: \(ServerWords.cut(words))")
    }
    return query(after: name, limit: 1000)
  }

  /// An element without a document says how far the server has come.
  func listed(_ element: [UInt8]) throws(UnreadableRecord) -> ListedRecord? {
    let reader = JSONScanner(element)
    guard let document = value(of: element, "document") else {
      let isMark = ["readTime", "done", "skippedResults"].contains { reader.text(at: [$0]) != nil }
      if isMark, value(of: element, "error") == nil { return nil }
      throw UnreadableRecord(id: "", reason: "no document")
    }
    return try context.read(try plain(document)).entry.named(try version(of: document))
  }

  // MARK: Documents

  func fetching(_ ids: [ProjectID]) throws -> HTTPRequest {
    var body: [UInt8] = []
    for id in ids {
      body.append(json: body.isEmpty ? "{\"documents\":[" : ",")
      body.append(jsonString: name(of: id))
    }
    body.append(json: "]}")
    return context.request(.post, root: collection.root + ":batchGet", json: body)
  }

  func name(of id: ProjectID) -> String { collection.document(context.ids.encode(id.string)) }

  func fetched(_ element: [UInt8]) throws(UnreadableRecord) -> FetchedElement? {
    guard let document = value(of: element, "found") else {
      let missing = JSONScanner(element).text(at: ["missing"])
      return missing.flatMap(collection.id(of:)).map { .absent($0) }
    }
    var record = try context.whole(try plain(document)).record
    record.others = others(of: document)
    return .record(record.named(try version(of: document)))
  }

  /// Our fields of a document as one object, its id the last part of its name.
  private func plain(_ document: [UInt8]) throws(UnreadableRecord) -> [UInt8] {
    guard let id = JSONScanner(document).text(at: ["name"]).flatMap(collection.id(of:)) else {
      throw UnreadableRecord(id: "", reason: "a document of another collection")
    }
    let found: [[UInt8]?]
    do {
      found = try values(of: value(of: document, "fields") ?? Array("{}".utf8))
    } catch {
      throw UnreadableRecord(id: id, reason: "its fields cannot be read: \(error.description)")
    }
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    bytes.append(jsonString: columns[0].name)
    bytes.append(json: ":")
    bytes.append(jsonString: id)
    for (column, typed) in zip(columns, found) {
      guard let typed else { continue }
      let value: [UInt8]
      do {
        value = try column.type.plain(typed)
      } catch {
        throw UnreadableRecord(id: id, reason: "its \(column.name) is \(error.reason)")
      }
      if column.name == columns[0].name {
        let text = JSONScanner(typed).text(at: ["stringValue"])
        guard text.map({ $0.utf8.elementsEqual(id.utf8) }) ?? true else {
          throw UnreadableRecord(id: id, reason: "its \(column.name) is not the one in its name")
        }
        continue
      }
      bytes.append(json: ",")
      bytes.append(jsonString: column.name)
      bytes.append(json: ":")
      bytes.append(contentsOf: value)
    }
    bytes.append(json: "}")
    return bytes
  }

  /// The values of our fields in an object, in the order of `columns`.
  func values(of object: [UInt8]) throws(JSONError) -> [[UInt8]?] {
    var values = [[UInt8]?](repeating: nil, count: columns.count)
    let reader = JSONScanner(object)
    var scanner = reader
    try scanner.scanObject { (key, value) throws(JSONError) in
      let index = columns.firstIndex { reader.string(at: key, equals: $0.name) }
      if let index { values[index] = Array(reader.bytes[value]) }
    }
    return values
  }

  /// The fields of a document that are not ours, typed as Firestore types them.
  private func others(of document: [UInt8]) -> ExtraMembers {
    guard let object = value(of: document, "fields") else { return .none }
    let reader = JSONScanner(object)
    var scanner = reader
    var others = ""
    try? scanner.scanObject { (key, value) throws(JSONError) in
      if columns.contains(where: { reader.string(at: key, equals: $0.name) }) { return }
      others += (others.isEmpty ? "" : ",") + reader.text(at: key) + ":" + reader.text(at: value)
    }
    return ExtraMembers(trusted: others.isEmpty ? "" : "{\(others)}")
  }

  private func version(of document: [UInt8]) throws(UnreadableRecord) -> Version {
    guard let time = JSONScanner(document).text(at: ["updateTime"]) else {
      throw UnreadableRecord(id: "", reason: "no updateTime")
    }
    return Version(time)
  }

  private func value(of json: [UInt8], _ name: String) -> [UInt8]? {
    (try? JSONScanner(json).value(at: [name])) ?? nil
  }

  /// A field's name as it stands in a path of fields.
  static func path(of field: String) -> String {
    let isPlain = field.utf8.enumerated().allSatisfy { index, byte in
      byte == UInt8(ascii: "_") || (0x61...0x7A).contains(byte | 0x20)
        || index > 0 && (0x30...0x39).contains(byte)
    }
    guard !isPlain else { return field }
    var path = "`"
    for scalar in field.unicodeScalars {
      if scalar == "`" || scalar == "\\" { path.unicodeScalars.append("\\") }
      path.unicodeScalars.append(scalar)
    }
    return path + "`"
  }
}
