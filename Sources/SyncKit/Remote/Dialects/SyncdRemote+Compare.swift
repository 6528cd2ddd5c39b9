extension SyncdRemote {
  var mayCompare: Bool {
    get async { !hasAnswered || capabilities.hasComparison }
  }

  func compare(
    _ question: RangeQuestion, since known: CollectionVersion?
  ) async throws -> (listing: Listing, answer: RangeAnswer)? {
    var request = session.request(.post, try endpoint("compare"), body: .bytes(question.bytes))
    request.headers["Accept"] = rangesMediaType
    request.headers.add("Content-Type", rangesMediaType)
    if let known = known.flatMap({ SyncdCollectionVersion($0) }) {
      request.headers.add("If-None-Match", known.tag)
    }
    let response = try await session.send(
      collection: request, accepting: [400, 404, 405, 413, 415, 501])
    guard response.status == 200, Capabilities(response.headers) != nil,
      let answer = try? RangeAnswer(response.body, asked: question.ranges.count)
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
}
