import Synchronization

/// What the server makes of conditions and of names, and the versions that it gave to what was written.
extension WebDAVDialect {
  /// What was found out here counts, and what was found out before of the very same server.
  var honoursConditions: Bool? {
    if let found = context.learned["creates"] { return found == "refused" }
    let options = context.session.options
    guard let server = options.server, server == context.session.server else { return nil }
    return options.honoursConditions
  }

  /// Where nothing keeps `abc` from being created over `ABC`, and they may be one file, one is created
  /// after the other.
  var createsTogether: Bool { context.learned["names"] == "exact" }

  /// Creates a record once more that was just created: 412 says that the server minds. Nobody of ours replaces
  /// it meanwhile, since it is so young.
  func tryConditions(with write: EncodedWrite) async throws -> Bool {
    guard
      case .response(let response, let afterTrouble) = try await context.session.send(
        record: writing([write])), !afterTrouble
    else { return true }
    let isHonoured = response.status == 412
    context.learned["creates"] = isHonoured ? "refused" : "taken"
    if !isHonoured { try await tryNames(with: write.id) }
    return response.head.isSuccess
  }

  /// Looks for the record under its name in capitals.
  private func tryNames(with id: ProjectID) async throws {
    let request = context.request(
      at: "/\(context.segment(id))\(WebDAVFile.suffix.uppercased())")
    guard case .response(let response, _) = try await context.session.send(record: request) else {
      return
    }
    if response.status == 404 { context.learned["names"] = "exact" }
  }

  // MARK: Versions

  /// One listing for many. A version is that of a write if its file is as long as what was sent, and was not
  /// changed later than the server answered.
  func versions(of writes: [EncodedWrite]) async throws -> [ProjectID: Version] {
    let files = context.learned["files"].flatMap { Int($0) } ?? 0
    guard writes.count >= 16, files <= 32 * writes.count else { return [:] }
    let wanted = Dictionary(writes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let found = Mutex([ProjectID: Version]())
    try await scan { file in
      guard let id = try? file.id(context.ids), let write = wanted[id], file.fault == nil,
        let version = file.version, file.length == write.body.count,
        let changed = file.modified.flatMap({ Timestamp(httpDate: $0) }),
        let answered = write.answeredAt,
        // Some servers tell the time of a moment ago.
        changed.microseconds <= answered.microseconds + 1_000_000
      else { return }
      found.withLock { $0[id] = version }
    }
    return found.withLock { $0 }
  }

  func learnVersions() async throws {
    if namesTags == nil { try await scan { _ in } }
  }

  private func scan(_ body: @escaping @Sendable (WebDAVFile) -> Void) async throws {
    var request = listing(depth: 1)
    request.responseLimit = ListingReader.maximumPageBytes
    let reader = PageReader<Never>(context.session, url: request.url, syntax) { element in
      let file = WebDAVFile(element)
      if file.fault == nil { namesTags = file.etag != nil }
      body(file)
      return nil
    }
    _ = try await context.session.stream(collection: request) { head in
      try reader.begin(head)
    } take: { chunk in
      try await reader.take(chunk) { _ in }
    }
    _ = try await reader.finish { _ in }
  }
}
