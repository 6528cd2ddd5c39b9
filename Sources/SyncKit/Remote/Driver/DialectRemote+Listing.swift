import Synchronization

extension DialectRemote {
  func list(
    since known: CollectionVersion?, receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Listing {
    var listing = Listing(dialect: D.word.rawValue)
    if let known = known.flatMap({ CursorText($0) }), known.writes == 0,
      try await dialect.isUnchanged(since: known.version) == true
    {
      (listing.isUnchanged, listing.version) = (true, known.text)
      state.withLock { $0.version = known }
      return listing
    }
    var version = try await dialect.versionBeforeListing()
    let dialect = dialect
    let pages = try await read(
      try dialect.firstPage(), dialect.syntax,
      next: { try dialect.page(after: $0, of: $1) },
      entry: { element in
        do {
          return try dialect.listed(element)
        } catch let error as UnreadableRecord {
          return .unreadable(error)
        }
      }, receive: receive)
    guard let pages else {
      throw session.violation(url, "answered 304 to a request without a condition")
    }
    if pages.count == 0 { try await dialect.proveAccess() }
    version = version ?? dialect.version(of: pages.first.head)
    let cursor = version.map { CursorText(version: $0) }
    state.withLock { $0.version = cursor }
    listing.version = cursor?.text
    return listing
  }

  func changes(
    since known: CollectionVersion, receive: @Sendable ([RemoteChange]) async throws -> Void
  ) async throws -> Listing? {
    let dialect = dialect
    guard let known = CursorText(known), let request = try dialect.changes(since: known.version)
    else { return nil }
    var listing = Listing(dialect: D.word.rawValue)
    let pages: Pages?
    do {
      pages = try await read(
        request, .json(at: dialect.changesAt),
        next: { try dialect.changes(after: $0, of: $1) },
        accepting: [400, 404, 410],
        entry: { element in
          do {
            return try dialect.change(element)
          } catch is UnreadableRecord {
            // Only a listing can say of a record that it cannot be read.
            throw CannotTell()
          }
        }, receive: receive)
    } catch is CannotTell {
      return nil
    }
    // What was written after that version must show: where nothing does, it is gone.
    guard let pages else {
      guard known.writes == 0 else { return nil }
      (listing.isUnchanged, listing.version) = (true, known.text)
      state.withLock { $0.version = known }
      return listing
    }
    if pages.count == 0, known.writes > 0 { return nil }
    guard
      let version = dialect.version(
        since: known.version, first: pages.first, last: pages.last)
    else { return nil }
    let cursor = CursorText(version: version)
    state.withLock { $0.version = cursor }
    listing.isPartial = true
    listing.isUnchanged = pages.count == 0 && cursor == known
    listing.version = cursor.text
    return listing
  }

  private struct CannotTell: Error {}

  /// What pages say together.
  struct Pages: Sendable {
    var first: ListedPage
    var last: ListedPage
    var count: Int
  }

  /// Reads pages to the end that the dialect proves.
  ///
  /// - Returns: nil for 304.
  private func read<Entry: Sendable>(
    _ request: HTTPRequest, _ syntax: ListingSyntax,
    next: @Sendable (ListedPage, HTTPRequest) throws -> HTTPRequest?,
    accepting: Set<Int> = [],
    entry: @escaping @Sendable ([UInt8]) throws -> Entry?,
    receive: @Sendable ([Entry]) async throws -> Void
  ) async throws -> Pages? {
    var request = request
    var pages: Pages?
    var seen: Set<[UInt8]> = []
    for _ in 1...ListingReader.maximumPages {
      guard seen.insert(request.identity).inserted else {
        throw session.violation(request.url, "the next page is one that was already read")
      }
      request.responseLimit = ListingReader.maximumPageBytes
      let reader = PageReader(session, url: request.url, syntax, entry: entry)
      let head: HTTPResponseHead
      do {
        head = try await session.stream(collection: request) { head in
          try reader.begin(head)
        } take: { chunk in
          try await reader.take(chunk, receive)
        }
      } catch let error as SyncError where accepting.contains(error.status ?? 0) {
        throw CannotTell()
      } catch let error as SyncError {
        throw inWords(error)
      }
      if head.status == 304 {
        guard pages == nil else {
          throw session.violation(request.url, "answered 304 in the middle of a list")
        }
        return nil
      }
      let page = try await reader.finish(receive)
      if let last = pages?.last, page.count > 0, last.first == page.first, page.count > 1 {
        throw session.violation(request.url, "the page after comes with the same entries again")
      }
      let count = (pages?.count ?? 0) + page.count
      pages = Pages(first: pages?.first ?? page, last: page, count: count)
      guard let following = try next(page, request) else { return pages }
      request = following
    }
    throw session.violation(request.url, "more than \(ListingReader.maximumPages) pages")
  }
}

extension HTTPRequest {
  /// What tells this request from another one for a page.
  fileprivate var identity: [UInt8] {
    var bytes = Array(url.utf8)
    if case .bytes(let body) = body { bytes += body }
    return bytes
  }
}
