/// PostgREST, and Supabase, whose tables are served by one: rows of a table, read by key, created in
/// bulk, and updated and deleted where they still are as they were seen.
///
/// `remote.url` is the table: `https://host/projects`, `https://REF.supabase.co/rest/v1/projects`.
/// A row's version is its `updated_at`, or a column that the user names and a trigger keeps.
struct PostgRESTDialect: Dialect {
  static let word = RemoteOptions.Dialect.postgrest
  let context: DialectContext
  private let columns: RecordColumns
  /// The column that is a row's version.
  private let version: String

  init(_ context: DialectContext) throws(SyncError) {
    self.context = context
    columns = try RecordColumns(context)
    let named = context.session.options.fields.version
    let isNamed = named != RecordFields.standard.version && !named.isEmpty
    version = isNamed ? RecordFields.path(of: named)[0] : columns.stamp
  }

  static func recognises(_ address: RemoteAddress) -> Bool {
    address.origin.hasSuffix(".supabase.co") && address.path.hasPrefix("/rest/v1/")
  }

  static func recognises(_ head: HTTPResponseHead) -> Bool {
    head.headers["Server"]?.hasPrefix("postgrest/") ?? false
  }

  /// Names as tables have them. What no column is for is in `extra`, so that a table's further columns
  /// are nobody's business here.
  static func fields(_ fields: RecordFields) -> RecordFields {
    var fields = fields
    let standard = RecordFields.standard
    if fields.dueAt == standard.dueAt { fields.dueAt = "due_at" }
    if fields.createdAt == standard.createdAt { fields.createdAt = "created_at" }
    if fields.updatedAt == standard.updatedAt { fields.updatedAt = "updated_at" }
    if fields.extra == .members { fields.extra = .object("extra") }
    return fields
  }

  static func fault(ofID id: String) -> String? {
    id.utf8.contains(0) ? "PostgreSQL holds no U+0000" : nil
  }

  /// The server may cut every answer at `db-max-rows`, without a word.
  var traits: DialectTraits {
    var traits = DialectTraits()
    traits.writesPerRequest = 500
    traits.cutsAnswers = true
    return traits
  }

  func probe() throws -> HTTPRequest {
    context.request(query: "select=\(name(columns.id))&limit=1")
  }

  /// A name as it stands in a query.
  private func name(_ column: String) -> String {
    let isPlain = column.utf8.allSatisfy {
      $0 == 0x5F || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
    }
    return PercentEncoding.encoded(isPlain ? column : "\"\(column)\"")
  }

  private func names(_ columns: [String]) -> String {
    var seen: Set<String> = []
    return columns.filter { seen.insert($0).inserted }.map(name).joined(separator: ",")
  }

  /// A value inside a list or a tree of conditions, where commas and parentheses mean something.
  private func quoted(_ value: String) -> String {
    var text = "\""
    for character in value.unicodeScalars {
      if character == "\"" || character == "\\" { text.unicodeScalars.append("\\") }
      text.unicodeScalars.append(character)
    }
    return PercentEncoding.encoded(text + "\"")
  }

  private func written(_ id: ProjectID) -> String { context.ids.encode(id.string) }

  // MARK: Listing

  func firstPage() throws -> HTTPRequest {
    var request = list()
    request.headers.add("Prefer", "count=exact")
    return request
  }

  private func list(after last: String? = nil) -> HTTPRequest {
    var query =
      "select=\(names([columns.id, columns.stamp, version]))&order=\(name(columns.id)).asc&limit=5000"
    if let last { query += "&\(name(columns.id))=gt.\(PercentEncoding.encoded(last))" }
    return context.request(query: query)
  }

  /// A page may be shorter than what was asked for. The last is the one that is empty, or holds as
  /// many rows as the server counts.
  func page(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? {
    guard page.count > 0, let last = page.last else { return nil }
    let total = page.head.headers["Content-Range"]?.split(separator: "/").last.flatMap { Int($0) }
    if let total, request.headers["Prefer"] != nil, page.count >= total { return nil }
    guard let id = JSONScanner(last).text(at: [columns.id]) else {
      throw context.violation(page.head, "a row without its \(columns.id)")
    }
    return list(after: id)
  }

  func listed(_ element: [UInt8]) throws(UnreadableRecord) -> ListedRecord? {
    let entry = try context.read(element).entry
    return entry.named(try version(in: element, of: entry.id))
  }

  private func version(
    in element: [UInt8], of id: ProjectID
  ) throws(UnreadableRecord) -> Version {
    guard let text = JSONScanner(element).text(at: [version]) else {
      throw UnreadableRecord(id: id.string, reason: "no \(version)")
    }
    return Version(text)
  }

  // MARK: Records

  /// Every column, since a copy is kept of what goes with a row.
  func fetching(_ ids: [ProjectID]) throws -> HTTPRequest {
    let list = ids.map { quoted(written($0)) }.joined(separator: ",")
    return context.request(query: "select=*&\(name(columns.id))=in.(\(list))")
  }

  func fetched(_ element: [UInt8]) throws(UnreadableRecord) -> FetchedElement? {
    let record = try context.whole(element).record
    return .record(record.named(try version(in: element, of: record.project.id)))
  }

  func group(of write: RemoteWrite) -> Int {
    switch write {
    case .put(_, .absent): 0
    case .put: 1
    case .delete: 2
    }
  }

  /// A row is updated by a request of its own, for each has a condition and values of its own;
  /// deletions name their conditions in the URL, which is to stay short.
  func most(inGroup group: Int) -> Int { [traits.writesPerRequest, 1, 40][group] }

  func writing(_ writes: [EncodedWrite]) throws -> HTTPRequest {
    var request: HTTPRequest
    var prefer = "return=representation"
    let returned = "select=\(names([columns.id, columns.stamp, version]))"
    switch writes[0].write {
    case .put(_, .absent), .put(_, .new), .put(_, .lost):
      var body: [UInt8] = []
      for write in writes {
        body.append(json: body.isEmpty ? "[" : ",")
        body.append(contentsOf: write.body)
      }
      body.append(json: "]")
      request = context.request(
        .post, query: "on_conflict=\(name(columns.id))&columns=\(names(columns.all))&\(returned)",
        json: body)
      prefer += ",resolution=ignore-duplicates"
    case .put(let project, .matches(let digest)):
      let row = "\(name(columns.id))=eq.\(PercentEncoding.encoded(written(project.id)))"
      let seen = "\(name(version))=eq.\(PercentEncoding.encoded(digest.version.raw))"
      request = context.request(.patch, query: "\(row)&\(seen)&\(returned)", json: writes[0].body)
    case .delete:
      let rows = writes.map { write in
        let row = "\(name(columns.id)).eq.\(quoted(written(write.id)))"
        guard case .delete(_, .matches(let digest)) = write.write else { return row }
        return "and(\(row),\(name(version)).eq.\(quoted(digest.version.raw)))"
      }
      request = context.request(
        .delete, query: "or=(\(rows.joined(separator: ",")))&\(returned)")
    }
    request.headers.add("Prefer", prefer)
    return request
  }

  /// The answer has the rows that were really written.
  func outcomes(
    of response: HTTPResponse, _ writes: [EncodedWrite]
  ) throws -> [ItemOutcome]? {
    var rows: [ProjectID: RemoteDigest] = [:]
    if !response.body.isEmpty {
      var stream = JSONElementStream()
      do {
        try stream.consume(response.body) { row in
          if let digest = try listed(row)?.digest { rows[digest.id] = digest }
        }
        _ = try stream.finish()
      } catch {
        return nil
      }
    }
    return writes.map { write in
      guard let row = rows[write.id] else { return .conflict }
      if case .delete = write.write { return .deleted }
      return .stored(version: row.version, etag: nil, updatedAt: row.updatedAt)
    }
  }

  /// A policy refuses rows, one by one; a missing right refuses everything.
  func concernsAll(_ response: HTTPResponse) -> Bool {
    guard [401, 403, 404, 405, 410].contains(response.status) else { return false }
    let words = JSONScanner(response.body).text(at: ["message"]) ?? ""
    return response.status != 403 || !words.contains("row-level security policy")
  }

  /// Another row with the same id is no error here, so that a clash is one of another column.
  func outcome(ofRefusal response: HTTPResponse, _ write: EncodedWrite) -> ItemOutcome {
    .refused(status: response.status, message: context.session.words(of: response))
  }
}
