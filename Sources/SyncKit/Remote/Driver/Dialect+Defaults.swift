/// What most servers do, so that a dialect says only what is different.
extension Dialect {
  static func recognises(_ address: RemoteAddress) -> Bool { false }
  static func recognises(_ head: HTTPResponseHead) -> Bool { false }
  static func fields(_ fields: RecordFields) -> RecordFields { fields }
  static var ownedMembers: Set<String> { [] }
  static var ownedPrefix: String? { nil }
  static func fault(ofID id: String) -> String? { nil }
  func fault(of project: Project) -> String? { nil }

  func learn() async throws {}

  func probe() throws -> HTTPRequest { try firstPage() }

  func proveAccess() async throws {}

  // MARK: Listing

  var listAt: [String] { [] }

  var syntax: ListingSyntax { .json(at: listAt) }

  /// Pages end with a page that is empty. The dialect says how the next one is asked for.
  func page(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? { nil }

  func listed(_ element: [UInt8]) throws(UnreadableRecord) -> ListedRecord? {
    switch try context.read(element).entry {
    case .digest(let digest): .digest(digest)
    case .record(let record): .record(record)
    }
  }

  func versionBeforeListing() async throws -> String? { nil }

  func version(of head: HTTPResponseHead) -> String? { nil }

  func isUnchanged(since version: String) async throws -> Bool? { nil }

  // MARK: Changes

  func changes(since version: String) throws -> HTTPRequest? { nil }

  var changesAt: [String] { listAt }

  func change(_ element: [UInt8]) throws(UnreadableRecord) -> RemoteChange? { nil }

  func changes(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? {
    try self.page(after: page, of: request)
  }

  func version(since version: String, first: ListedPage, last: ListedPage) -> String? { nil }

  // MARK: Records

  func learnVersions() async throws {}

  func found(in response: HTTPResponse, of id: ProjectID) throws -> FetchOutcome? { nil }

  var fetchedAt: [String] { listAt }

  func fetched(_ element: [UInt8]) throws(UnreadableRecord) -> FetchedElement? {
    .record(try context.whole(element).record)
  }

  func looks(before write: RemoteWrite) -> Bool { traits.conditions == .looked }

  var honoursConditions: Bool? { traits.conditions == .carried }

  var createsTogether: Bool { true }

  func tryConditions(with write: EncodedWrite) async throws -> Bool { false }

  func versions(of writes: [EncodedWrite]) async throws -> [ProjectID: Version] { [:] }

  func group(of write: RemoteWrite) -> Int { 0 }

  func most(inGroup group: Int) -> Int { traits.writesPerRequest }

  func concernsAll(_ response: HTTPResponse) -> Bool {
    [401, 403, 404, 405, 410].contains(response.status)
  }

  func culprit(of response: HTTPResponse, _ writes: [EncodedWrite]) -> Int? { nil }

  func outcome(ofRefusal response: HTTPResponse, _ write: EncodedWrite) -> ItemOutcome {
    switch (response.status, write.write) {
    case (404, .delete), (410, .delete): .deleted
    case (409, _), (412, _): .conflict
    default:
      .refused(status: response.status, message: context.session.words(of: response))
    }
  }

  func words(of status: Int) -> String? { nil }
}
