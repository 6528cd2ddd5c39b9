import Synchronization

/// What a dialect works with: the collection's address, the form of records and ids, and the
/// sentences for answers that are not what they should be.
struct DialectContext: Sendable {
  let session: RemoteSession
  /// The collection, without a slash at its end.
  let address: RemoteAddress
  let codec: RecordCodec
  let ids: IDCodec
  let learned = Learned()

  /// - Throws: `SyncError` with `.configuration`.
  init<D: Dialect>(_ session: RemoteSession, for dialect: D.Type) throws(SyncError) {
    self.session = session
    var address = try session.collection()
    while address.path.last == "/", address.path.utf8.count > 1 { address.path.removeLast() }
    self.address = address
    ids = session.options.ids
    var fields = D.fields(session.options.fields)
    // The dialect knows what the version is; members of these names are the user's own.
    (fields.etag, fields.version) = ("", "")
    do {
      codec = try RecordCodec(
        fields: fields, owned: D.ownedMembers,
        ownedPrefix: D.ownedPrefix)
    } catch {
      throw SyncError(.configuration, "remote.fields: \(error.reason)")
    }
  }

  // MARK: Requests

  /// A request to the collection, or to a path below it that begins with a slash.
  ///
  /// - Parameters:
  ///   - query: parameters, percent-encoded.
  ///   - root: the path to take instead of the collection's, where the operation lives elsewhere.
  func request(
    _ method: HTTPMethod = .get, at suffix: String = "", root: String? = nil,
    query: String? = nil, json: [UInt8]? = nil
  ) -> HTTPRequest {
    var target = address
    target.path = (root ?? address.path) + suffix
    var request = session.request(
      method, target.adding(query: query).text, body: json.map { .bytes($0) } ?? .none)
    if json != nil { request.headers.add("Content-Type", "application/json") }
    return request
  }

  /// An id as one segment of a path.
  func segment(_ id: ProjectID) -> String { PercentEncoding.encoded(ids.encode(id.string)) }

  /// The page that a next link leads to: the same request to another address.
  func request(following target: String, of request: HTTPRequest) throws -> HTTPRequest {
    var next = request
    next.url = try session.next(target, from: try RemoteAddress(request.url)).text
    return next
  }

  /// Whether requests carry credentials at all.
  ///
  /// - Throws: `SyncError` where they cannot be had.
  func hasCredentials() async throws -> Bool {
    if session.options.headers["Authorization"] != nil { return true }
    return try await session.grant()?.header != nil
  }

  func violation(_ response: HTTPResponseHead, _ what: String) -> SyncError {
    session.violation(
      response.url.isEmpty ? session.url : response.url, what, status: response.status)
  }

  // MARK: Records

  /// - Throws: `UnholdableRecord`.
  func encode(_ project: Project) throws(UnholdableRecord) -> [UInt8] {
    guard ids != .plain else { return try codec.encode(project) }
    var project = project
    project.id = ProjectID(trusted: ids.encode(project.id.string))
    return try codec.encode(project)
  }

  /// Reads an entry of a listing and the server's own members.
  func read(_ element: [UInt8]) throws(UnreadableRecord) -> RecordCodec.Reading {
    var reading = try codec.read(element)
    guard ids != .plain else { return reading }
    switch reading.entry {
    case .digest(var digest):
      digest.id = try decode(digest.id)
      reading.entry = .digest(digest)
    case .record(var record):
      record.project.id = try decode(record.project.id)
      reading.entry = .record(record)
    }
    return reading
  }

  /// Reads a whole record and the server's own members.
  func whole(
    _ element: [UInt8]
  ) throws(UnreadableRecord) -> (record: RemoteRecord, owned: [String: [UInt8]]) {
    var whole = try codec.whole(element)
    if ids != .plain { whole.record.project.id = try decode(whole.record.project.id) }
    return whole
  }

  private func decode(_ id: ProjectID) throws(UnreadableRecord) -> ProjectID {
    guard let text = ids.decode(id.string), let plain = try? ProjectID(text) else {
      throw UnreadableRecord(id: id.string, reason: "its id is not in the form of remote.ids")
    }
    return plain
  }
}

extension DialectContext {
  /// What a server said of itself.
  final class Learned: Sendable {
    private let values = Mutex([String: String]())

    subscript(name: String) -> String? {
      get { values.withLock { $0[name] } }
      set { values.withLock { $0[name] = newValue } }
    }
  }
}

extension RecordDecoder.Entry {
  /// The entry under the version that the server gives it.
  func named(_ version: Version, etag: String? = nil) -> ListedRecord {
    switch self {
    case .digest(var digest):
      (digest.version, digest.etag) = (version, etag)
      return .digest(digest)
    case .record(let record): return .record(record.named(version, etag: etag))
    }
  }
}

extension RemoteRecord {
  func named(_ version: Version, etag: String? = nil) -> RemoteRecord {
    var record = self
    (record.version, record.etag) = (version, etag)
    return record
  }
}

extension RecordDecoder.Entry {
  var id: ProjectID {
    switch self {
    case .digest(let digest): digest.id
    case .record(let record): record.project.id
    }
  }
}

extension ListedRecord {
  /// Nil for what cannot be read.
  var digest: RemoteDigest? {
    switch self {
    case .digest(let digest): digest
    case .record(let record): record.digest
    case .unreadable: nil
    }
  }
}
