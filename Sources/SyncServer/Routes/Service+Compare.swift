internal import HTTPServer
internal import SyncKit

extension Service {
  /// `POST /v1/projects/compare`: how ranges of the collection are, compared with what the client
  /// knows of them. Every answer is of one moment, and the collection's tag says of which.
  func compare(_ request: Request, in space: String) throws -> Response {
    let question: RangeQuestion
    do {
      question = try RangeQuestion(request.body)
    } catch RangeMessageError.tooMany {
      throw Problem(413, "a comparison asks about at most \(RangeLimits.asked) ranges")
        .adding("maximumItems", RangeLimits.asked)
    } catch {
      throw Problem(400, "not a question about ranges: \(error)")
    }
    let known = try request.field("If-None-Match").map { try EntityTags($0) }
    let (body, found, isRolledBack) = try read(space) { connection, space in
      var isRolledBack = false
      if case .list(let tags) = known {
        isRolledBack = try tags.contains { try connection.isRolledBack(space, since: $0) }
      }
      let answer = try RangeResponder.answer(question, from: connection.ranges(of: space)) {
        try connection.digests(in: $0, space: space.key)
      }
      return (answer.bytes, space, isRolledBack)
    }
    let response = Response(200, type: rangesMediaType, body: body)
      .adding([
        ("ETag", found.tag), ("Syncd-Remote-ID", found.id),
        ("Syncd-Capabilities", limits.capabilities),
      ])
    return isRolledBack ? response.adding("Syncd-Rolled-Back", "1") : response
  }
}
