/// What a version of a `syncd` collection says: the epoch, the number of the last change, and the
/// lineage, `"epoch-number-lineage"`. Proxies may weaken it or add a suffix.
struct SyncdCollectionVersion: Sendable, Equatable {
  let epoch: Substring
  let sequence: Int64
  let lineage: Substring

  /// Nil for the version of another server.
  init?(_ version: CollectionVersion) {
    guard let text = version.raw.split(separator: "\"").first(where: { $0 != "W/" }) else {
      return nil
    }
    let parts = text.split(separator: "-")
    guard parts.count >= 3, let sequence = Int64(parts[1]), sequence >= 0,
      (parts[0] + parts[2]).utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) })
    else { return nil }
    (epoch, self.sequence, lineage) = (parts[0], sequence, parts[2])
  }

  /// As the server spells it.
  var tag: String { "\"\(epoch)-\(sequence)-\(lineage)\"" }
}

extension SyncdRemote {
  /// Every request says which version it goes on from: a server that was put back counts the same
  /// numbers again, and answers 410 to a version that is not in its past, or of another epoch.
  func changes(
    since known: CollectionVersion, receive: @Sendable ([RemoteChange]) async throws -> Void
  ) async throws -> Listing? {
    guard mayHaveChanges, let known = SyncdCollectionVersion(known) else { return nil }
    var (since, version) = (known.sequence, known)
    var remoteID: String?
    for number in 1...ListingReader.maximumPages {
      let response = try await page(since: since, version)
      guard Capabilities(response.headers) != nil else { return nil }
      try note(response.head)
      if response.status == 304 {
        return number == 1 ? unchanged(response.head) : nil
      }
      guard response.status == 200, let page = try? ChangesPage(response.body),
        let tag = response.headers["ETag"].map({ CollectionVersion($0) }),
        let told = SyncdCollectionVersion(tag), told.epoch == version.epoch,
        page.hasMore ? page.next > since : page.next >= since && page.next == told.sequence,
        number == 1 || remoteID == response.headers["Syncd-Remote-ID"]
      else { return nil }
      remoteID = response.headers["Syncd-Remote-ID"]
      if !page.changes.isEmpty { try await receive(page.changes) }
      (since, version) = (page.next, told)
      if !page.hasMore {
        var listing = Listing(
          version: tag, remoteID: remoteID, dialect: RemoteOptions.Dialect.syncd.rawValue)
        listing.isPartial = true
        return listing
      }
    }
    return nil
  }

  private func page(
    since: Int64, _ version: SyncdCollectionVersion
  ) async throws -> HTTPResponse {
    let query = "since=\(since)&limit=\(Self.pageSize)"
    let address = try RemoteAddress(try endpoint("changes")).adding(query: query)
    var request = session.request(.get, address.text)
    request.headers.add("If-None-Match", version.tag)
    return try await session.send(collection: request, accepting: [304, 400, 404, 405, 410])
  }
}

/// One answer to `changes`.
private struct ChangesPage {
  var changes: [RemoteChange] = []
  var next: Int64 = -1
  var hasMore = false

  /// - Throws: `JSONError`, `Unreadable`.
  init(_ body: [UInt8]) throws {
    var stream = JSONElementStream(path: ["changes"])
    var changes: [RemoteChange] = []
    try stream.consume(body) { changes.append(try Self.change($0)) }
    self.changes = changes
    let envelope = JSONScanner(try stream.finish())
    var scanner = envelope
    var more: Bool?
    try scanner.scanObject { (key, value) throws(JSONError) in
      if envelope.name(at: key, is: "next") {
        next = Int64(envelope.text(at: value)) ?? -1
      } else if envelope.name(at: key, is: "more") {
        more = Bool(envelope.text(at: value))
      }
    }
    guard let more, next >= 0 else { throw Unreadable() }
    hasMore = more
  }

  struct Unreadable: Error {}

  private static func change(_ element: [UInt8]) throws -> RemoteChange {
    let reader = JSONScanner(element)
    var scanner = reader
    var (id, etag): (String?, String?)
    var (stamp, isDeleted): (Timestamp?, Bool?)
    try scanner.scanObject { (key, value) throws(JSONError) in
      if reader.name(at: key, is: "deleted") {
        isDeleted = Bool(reader.text(at: value))
      } else if reader.kind(of: value) == .string {
        if reader.name(at: key, is: "id") {
          id = try reader.string(at: value)
        } else if reader.name(at: key, is: "etag") {
          etag = try reader.string(at: value)
        } else if reader.name(at: key, is: "updatedAt") {
          stamp = Timestamp(rfc3339: try reader.string(at: value))
        }
      }
    }
    guard let id, let isDeleted else { throw Unreadable() }
    if isDeleted { return .deleted(try ProjectID(id)) }
    guard let etag, let stamp else { throw Unreadable() }
    return .stored(
      RemoteDigest(id: try ProjectID(id), updatedAt: stamp, version: Version(etag), etag: etag))
  }
}
