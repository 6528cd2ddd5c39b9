internal import HTTPServer
internal import SyncKit

extension Service {
  /// `GET /v1/projects/changes?since=N`: what changed after the change of that number, deletions
  /// included, one entry for each id, in the order of the changes. 304 where there is nothing to
  /// tell; 410 where the store's history does not go on from what the client knows.
  func changes(_ request: Request, in space: String) throws -> Response {
    let since = try Self.number(request.target, "since")
    let epoch = try request.target.parameter("epoch")
    let limit = try request.target.limit(
      default: limits.pageItems, maximum: limits.maximumPageItems)
    let known = try request.field("If-None-Match").map { try EntityTags($0) }
    let page = try read(space) { connection, space in
      guard since >= space.forgotten, since <= space.sequence,
        epoch ?? space.epoch == space.epoch, try connection.goesOn(space, from: known)
      else {
        var problem = Problem(
          410, "the changes since then are not known any more: compare, or list")
        problem.headers = collectionFields(of: space)
        throw problem
      }
      if since == space.sequence, known?.matchesWeakly(space.tag) == true {
        return ChangesPage(space: space, isUnchanged: true)
      }
      var page = ChangesPage(space: space)
      try connection.forEachChange(in: space, since: since, limit: limit + 1) { head in
        page.append(head, limit: limit)
      }
      page.end(since: since)
      return page
    }
    guard !page.isUnchanged else {
      return Response(304).adding(collectionFields(of: page.space))
    }
    return Response(200, type: "application/json", body: page.body)
      .adding(collectionFields(of: page.space))
  }

  private static func number(
    _ target: RequestTarget, _ name: String
  ) throws(Problem) -> Int64 {
    guard let text = try target.parameter(name), !text.isEmpty,
      text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(text)
    else { throw Problem(400, "\(name) is not a whole number from 0") }
    return number
  }
}

/// The answer while it is written.
private struct ChangesPage: Sendable {
  let space: Space
  let isUnchanged: Bool
  var body = Array("{\"changes\":[".utf8)
  private var count = 0
  private var last: Int64?
  private var hasMore = false

  init(space: Space, isUnchanged: Bool = false) {
    self.space = space
    self.isUnchanged = isUnchanged
  }

  mutating func append(_ head: Head, limit: Int) {
    guard count < limit else {
      hasMore = true
      return
    }
    body.append(json: count == 0 ? "{" : ",{")
    body.appendMember("id", string: head.id, first: true)
    body.appendMember("seq", raw: String(head.tag.sequence))
    body.appendMember("updatedAt", string: head.updatedAt)
    if head.isTombstone {
      body.append(json: ",\"deleted\":true}")
    } else {
      body.appendMember(etag: head.tag)
      body.append(json: ",\"deleted\":false}")
    }
    count += 1
    last = head.tag.sequence
  }

  mutating func end(since: Int64) {
    body.append(json: "]")
    body.appendMember("next", raw: String(hasMore ? last ?? since : space.sequence))
    body.appendMember("more", raw: hasMore ? "true" : "false")
    body.appendMember("epoch", string: space.epoch)
    body.append(json: "}")
  }
}
