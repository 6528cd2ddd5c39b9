/// Reads a listing page by page to its proven end.
///
/// The end is where the server says so: a page without a next link, and the total, where one is
/// stated, reached. A page that is shorter than asked for proves nothing.
struct ListingReader: Sendable {
  let session: RemoteSession
  let codec: RecordCodec
  var listAt: [String] = []
  var nextAt: [String] = []
  var query: String?
  /// Whether the dialect promises a next link on every page but the last, whatever the query.
  var endsByLink = false

  /// More pages than this are no listing but a loop.
  static let maximumPages = 1_000_000
  /// The most bytes that one page may unpack to; it is never in memory as a whole.
  static let maximumPageBytes: Int64 = 4 << 30

  /// What a listing says beside its entries.
  struct Summary: Sendable {
    var isUnchanged = false
    var count = 0
    /// The ETag of every page; nil where they differ: the pages are of different states then, and the
    /// listing of none.
    var version: CollectionVersion?
    var remoteID: String?
  }

  /// - Parameter inspect: called with the head of the first page; what it throws ends the reading.
  func read(
    since known: CollectionVersion? = nil,
    inspect: @Sendable (HTTPResponseHead) throws -> Void = { _ in },
    receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Summary {
    var address = try session.collection().adding(query: query)
    var summary = Summary()
    var seen: Set<String> = [address.text]
    var previous: [UInt8]?
    for number in 1...Self.maximumPages {
      let page = try await readPage(
        address, since: number == 1 ? known : nil,
        inspect: { if number == 1 { try inspect($0) } }, receive: receive)
      if number == 1 {
        summary.version = page?.head.headers["ETag"].map { CollectionVersion($0) }
        summary.remoteID = page?.head.headers["Syncd-Remote-ID"]
      }
      if number > 1, page?.head.headers["ETag"].map({ CollectionVersion($0) }) != summary.version {
        summary.version = nil
      }
      guard let page else {
        guard number == 1, known != nil else {
          throw session.violation(address.text, "answered 304 to a request without a condition")
        }
        summary.isUnchanged = true
        return summary
      }
      summary.count += page.count
      if let first = page.first, first == previous {
        throw session.violation(address.text, "the page after comes with the same entries again")
      }
      previous = page.first
      guard let next = try nextPage(of: page, at: address) else {
        try checkEnd(page, number: number, count: summary.count, at: address)
        return summary
      }
      guard seen.insert(next.text).inserted else {
        throw session.violation(address.text, "the next link points back to a page already read")
      }
      address = next
    }
    throw session.violation(address.text, "more than \(Self.maximumPages) pages")
  }

  /// Nil where the answer is 304.
  private func readPage(
    _ address: RemoteAddress, since known: CollectionVersion?,
    inspect: @Sendable (HTTPResponseHead) throws -> Void,
    receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> ListedPage? {
    var request = session.request(.get, address.text)
    request.responseLimit = Self.maximumPageBytes
    if let known { request.headers.add("If-None-Match", known.raw) }
    let reader = PageReader(session, url: address.text, .json(at: listAt)) { element in
      codec.listed(element)
    }
    let head = try await session.stream(collection: request) { head in
      try inspect(head)
      try reader.begin(head)
    } take: { chunk in
      try await reader.take(chunk, receive)
    }
    return head.status == 304 ? nil : try await reader.finish(receive)
  }

  private func nextPage(
    of page: ListedPage, at address: RemoteAddress
  ) throws -> RemoteAddress? {
    let link = LinkHeader(page.head.headers.values("Link"))
    var target = link.next
    if target == nil, !nextAt.isEmpty {
      target = try session.text(at: nextAt, in: page.envelope, of: address.text)
    }
    guard let target else {
      if link.isMalformed {
        throw session.violation(address.text, "a Link header that cannot be read may hide a page")
      }
      return nil
    }
    let base = page.head.url.isEmpty ? address : (try? RemoteAddress(page.head.url)) ?? address
    return try session.next(target, from: base)
  }

  /// Throws unless the last page is the end.
  private func checkEnd(
    _ page: ListedPage, number: Int, count: Int, at address: RemoteAddress
  ) throws {
    if let total = StatedTotal.of(page.head.headers) {
      guard count >= total else {
        throw session.violation(
          address.text,
          "the list should hold \(total) records, and \(count) came, with no link to "
            + "more")
      }
      return
    }
    if page.head.status == 206 {
      throw session.violation(
        address.text, "answered 206, a part of the list, with no total and no link to more",
        status: 206)
    }
    if number == 1, !endsByLink, let limit = Self.pageSize(in: address.query), limit > 0,
      count >= limit
    {
      throw session.violation(
        address.text,
        "\(count) records came for a limit of \(limit), with no total and no link to "
          + "more, so that the end cannot be told; ask for more at once in remote.query")
    }
  }

  /// The page size that the query asks for, by the names that are in use for it.
  static func pageSize(in query: String?) -> Int? {
    let names: Set<String> = [
      "limit", "_limit", "$limit", "per_page", "perpage", "page_size", "pagesize", "$top", "top",
      "max_results", "maxresults", "page[size]", "page%5bsize%5d",
    ]
    for pair in (query ?? "").split(separator: "&") {
      guard let equals = pair.firstIndex(of: "=") else { continue }
      if names.contains(pair[..<equals].lowercased()) {
        return Int(pair[pair.index(after: equals)...])
      }
    }
    return nil
  }
}

extension RecordCodec {
  /// An entry of a listing; one that cannot be read says so.
  func listed(_ element: [UInt8]) -> ListedRecord {
    do {
      return switch try entry(element) {
      case .digest(let digest): .digest(digest)
      case .record(let record): .record(record)
      }
    } catch {
      return .unreadable(error)
    }
  }
}
