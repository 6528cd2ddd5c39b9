extension RESTRemote {
  /// What one GET found under an id.
  enum Found {
    /// `tag` is the response's own, for `If-Match`.
    case record(RemoteRecord, tag: String?)
    case absent
    case unreadable(UnreadableRecord)
    case refused(status: Int, message: String)
  }

  public func fetch(_ ids: [ProjectID]) async throws -> [FetchOutcome] {
    let requests = ids.map { id in Single { try await self.fetch(id) } }
    return try await Single.zip(requests, maxConcurrent: session.options.concurrency).run()
  }

  private func fetch(_ id: ProjectID) async throws -> FetchOutcome {
    switch try await look(at: id) {
    case .record(let record, _): .record(try await named(record))
    case .absent: .absent
    case .unreadable(let record): .unreadable(record)
    case .refused(let status, let message): .refused(status: status, message: message)
    }
  }

  /// The record with its version as the listing would name it.
  private func named(_ record: RemoteRecord) async throws -> RemoteRecord {
    var record = record
    if let version = try await listingForm()?.version(of: record.digest) {
      record.version = version
    }
    return record
  }

  func look(at id: ProjectID) async throws -> Found {
    let request = session.request(.get, itemURL(id))
    switch try await session.send(record: request) {
    case .stopped: throw CancellationError()
    case .failed(let status, let message): return .refused(status: status, message: message)
    case .response(let response, _):
      switch response.status {
      case 200, 203: return try read(response, of: id, request)
      case 404, 410: return .absent
      case 200..<300: throw session.unexpected(request, response)
      default: return .refused(status: response.status, message: session.words(of: response))
      }
    }
  }

  private func read(
    _ response: HTTPResponse, of id: ProjectID, _ request: HTTPRequest
  ) throws -> Found {
    try checkMediaType(response, request)
    do {
      let tag = response.headers["ETag"]
      let record = try codec.record(
        response.body, etag: tag, namesTags: knownForm == .etag)
      guard record.project.id == id else {
        throw UnreadableRecord(
          id: id.string, reason: "the remote has \(record.project.id) under this id's address")
      }
      return .record(record, tag: tag)
    } catch let error as UnreadableRecord {
      return .unreadable(UnreadableRecord(id: id.string, reason: error.reason))
    }
  }

  /// Throws where a body is there and is none of JSON: a proxy speaking, or a login page.
  func checkMediaType(_ response: HTTPResponse, _ request: HTTPRequest) throws(SyncError) {
    guard !response.body.isEmpty, let type = MediaType(response.headers), !type.isJSON else {
      return
    }
    // Many servers answer a write with a word of plain text; a page is something else.
    if request.method != .get, !type.isHTML { return }
    throw session.violation(
      request.url,
      "answered \(response.status) with \(ServerWords.cut(type.name)), not JSON: a "
        + "proxy speaking, or a login page", status: response.status)
  }
}
