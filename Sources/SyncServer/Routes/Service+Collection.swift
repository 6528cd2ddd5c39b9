internal import HTTPServer
internal import SyncKit

extension Service {
  /// `GET /v1/projects`: every record, in the order of the ids' bytes, a page at a time. A page is
  /// bounded by records and by bytes, so that only a missing `rel="next"` says that it is the last.
  func list(_ request: Request, in space: String) throws -> Response {
    let query = try ListQuery(request.target, limits: limits)
    let known = try request.field("If-None-Match").map { try EntityTags($0) }
    let page = try read(space) { [limits] connection, space in
      var page = ListPage(space: space)
      if known?.matchesWeakly(space.tag) == true { return page }
      if case .list(let tags) = known {
        page.isRolledBack = try tags.contains { try connection.isRolledBack(space, since: $0) }
      }
      page.begin()
      try connection.forEachRecord(
        in: space, after: query.after, withContents: !query.isDigest, limit: query.limit + 1
      ) { head, contents in
        if page.count == query.limit || page.body.count >= limits.pageBytes {
          page.isLast = false
          return false
        }
        page.append(head, contents)
        return true
      }
      page.end()
      return page
    }
    guard page.isRead else {
      return Response(304).adding(collectionFields(of: page.space))
    }
    var response = Response(200, type: "application/json", body: page.body)
      .adding(collectionFields(of: page.space))
    if page.isRolledBack { response = response.adding("Syncd-Rolled-Back", "1") }
    if !page.isLast {
      response = response.adding("Link", "<\(query.target(after: page.last))>; rel=\"next\"")
    } else if query.after.isEmpty {
      // On one page only: a total said before changes that happen between pages would be wrong.
      response = response.adding("X-Total-Count", String(page.count))
    }
    return response
  }

  /// What every answer for the collection says of it.
  func collectionFields(of space: Space) -> [(name: String, value: String)] {
    [
      ("ETag", space.tag), ("Cache-Control", "private, no-cache"),
      ("Syncd-Remote-ID", space.id), ("Syncd-Capabilities", limits.capabilities),
      ("Syncd-Sequence", String(space.sequence)), ("Syncd-Epoch", space.epoch),
    ]
  }

  /// Reads one unchanging picture of a space.
  func read<Result: Sendable>(
    _ name: String, _ body: @Sendable (StoreConnection, Space) throws -> Result
  ) throws -> Result {
    try store.read { connection in
      try body(connection, try connection.space(named: name))
    }
  }
}

extension SyncServer.Limits {
  /// What `Syncd-Capabilities` says: an item of RFC 9651, the version with its parameters.
  var capabilities: String {
    "1; batch=\(batchItems); fetch=\(fetchItems); bytes=\(batchBytes); creates; "
      + "changes; compare; events"
  }
}

/// The parameters of a listing.
private struct ListQuery: Sendable {
  let isDigest: Bool
  let limit: Int
  let after: String
  private let fields: String?

  init(_ target: RequestTarget, limits: SyncServer.Limits) throws(Problem) {
    fields = try target.parameter("fields")
    isDigest = fields != nil
    if let fields {
      let names = fields.split(separator: ",", omittingEmptySubsequences: false)
      guard names.allSatisfy({ ["id", "updatedAt", "etag"].contains($0) }) else {
        throw Problem(400, "fields can hold id, updatedAt and etag")
      }
    }
    after = try target.parameter("after") ?? ""
    if !after.isEmpty {
      do { _ = try ProjectID(after) } catch { throw Problem(400, "after: \(error)") }
    }
    limit = try target.limit(default: limits.pageItems, maximum: limits.maximumPageItems)
  }

  func target(after id: String) -> String {
    let fields = fields.map { "fields=\($0)&" } ?? ""
    return "/v1/projects?\(fields)limit=\(limit)&after=\(PercentEncoding.encoded(id))"
  }
}

extension RequestTarget {
  /// The parameter `limit`, cut to `maximum`.
  func limit(default standard: Int, maximum: Int) throws(Problem) -> Int {
    guard let text = try parameter("limit") else { return standard }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let limit = Int(text), limit > 0 else {
      throw Problem(400, "limit is not a whole number from 1")
    }
    return min(limit, maximum)
  }
}

/// A page while it is written.
private struct ListPage: Sendable {
  let space: Space
  var isRead = false
  var isLast = true
  var count = 0
  /// Whether the space went back behind what the client knows.
  var isRolledBack = false
  var last = ""
  var body: [UInt8] = []

  init(space: Space) {
    self.space = space
  }

  mutating func begin() {
    isRead = true
    body.append(json: "[")
  }

  /// Appends a record, or its digest where there are no contents, with its `etag`.
  mutating func append(_ head: Head, _ contents: [UInt8]) {
    if count > 0 { body.append(json: ",") }
    if contents.isEmpty {
      body.append(json: "{")
      body.appendMember("id", string: head.id, first: true)
      body.appendMember("updatedAt", string: head.updatedAt)
    } else {
      body.append(contentsOf: contents.dropLast())
    }
    body.appendMember(etag: head.tag)
    body.append(json: "}")
    count += 1
    last = head.id
  }

  mutating func end() {
    body.append(json: "]")
  }
}
