/// How one kind of server spells what every remote does: data, and functions from what is wanted to
/// a request and from an answer to what it means. They send nothing; `DialectRemote` does, and
/// everything that has the same shape for every server lives there.
///
/// A function that throws `SyncError` ends the run; use `context.violation` for an answer that is
/// not what it should be.
protocol Dialect: Sendable {
  /// The word in `remote.dialect`.
  static var word: RemoteOptions.Dialect { get }

  /// Whether a collection's URL shows beyond doubt that such a server is there.
  static func recognises(_ address: RemoteAddress) -> Bool

  /// Whether the head of any answer shows it.
  static func recognises(_ head: HTTPResponseHead) -> Bool

  /// The fields that the user names, with the server's own names where the user names none.
  static func fields(_ fields: RecordFields) -> RecordFields

  /// Top-level members that the server keeps for itself, and what the names of others begin with.
  static var ownedMembers: Set<String> { get }
  static var ownedPrefix: String? { get }

  /// Why the server cannot hold an id; nil where it can.
  static func fault(ofID id: String) -> String?

  /// Why the server cannot hold a record as it is; nil where it can.
  func fault(of project: Project) -> String?

  init(_ context: DialectContext) throws(SyncError)

  var context: DialectContext { get }

  /// What one request may carry, and what the server promises. May change with what was learned.
  var traits: DialectTraits { get }

  /// Asks the server for what it says of itself, and keeps it in `context.learned`. Called once,
  /// before the first write.
  func learn() async throws

  /// A cheap request that shows that the server is there and takes our credentials.
  func probe() throws -> HTTPRequest

  /// Called where a listing came back empty, which a server may say to whom it lets see nothing.
  ///
  /// - Throws: `SyncError` with `.unauthorized` where the credentials are not what made it so.
  func proveAccess() async throws

  // MARK: Listing

  /// The first page of the shortest listing that names id, stamp and version.
  func firstPage() throws -> HTTPRequest

  /// Where the array of entries is, in a listing that is JSON.
  var listAt: [String] { get }

  /// What a listing is written in.
  var syntax: ListingSyntax { get }

  /// The page after; nil where this one is proven to be the last.
  func page(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest?

  /// An entry; nil where it is no record of anybody's.
  func listed(_ element: [UInt8]) throws(UnreadableRecord) -> ListedRecord?

  /// The collection's version, asked for before it is listed.
  func versionBeforeListing() async throws -> String?

  /// The collection's version as the head of the first page says it.
  func version(of head: HTTPResponseHead) -> String?

  /// Whether the collection still has a version, where one cheap request tells and there are no
  /// changes to ask for; nil where it does not.
  func isUnchanged(since version: String) async throws -> Bool?

  // MARK: Changes

  /// Asks for what changed since a version; nil where the server cannot tell.
  func changes(since version: String) throws -> HTTPRequest?

  /// Where the array of changes is.
  var changesAt: [String] { get }

  func change(_ element: [UInt8]) throws(UnreadableRecord) -> RemoteChange?

  /// The page of changes after; nil where this one is proven to be the last.
  func changes(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest?

  /// The collection's version with all those changes; nil where they cannot be trusted.
  func version(
    since version: String, first: ListedPage, last: ListedPage
  ) -> String?

  // MARK: Records

  /// Called before fetched records are read: what has to be known of the listing for their versions.
  func learnVersions() async throws

  /// Asks for records by id, at most `traits.fetchesPerRequest`.
  func fetching(_ ids: [ProjectID]) throws -> HTTPRequest

  /// Where the array of records is in the answer.
  var fetchedAt: [String] { get }

  /// What one element of that array says; nil where it says nothing.
  func fetched(_ element: [UInt8]) throws(UnreadableRecord) -> FetchedElement?

  /// What an answer to a request for one record says, where it is the record and no array; nil where
  /// the answer is one to many.
  func found(in response: HTTPResponse, of id: ProjectID) throws -> FetchOutcome?

  /// Whether a record is looked at right before this write, since no condition that the request carries is
  /// enough.
  func looks(before write: RemoteWrite) -> Bool

  /// Whether the server itself holds to conditions, as far as is known.
  var honoursConditions: Bool? { get }

  /// Whether records that are looked at may be created at once: false where two ids may be one to the server.
  var createsTogether: Bool { get }

  /// Finds out whether the server holds to conditions by a record that was just created.
  ///
  /// - Returns: whether the record was written once more for it.
  func tryConditions(with write: EncodedWrite) async throws -> Bool

  /// The versions of records that were just written, as the listing names them: of those that are proven to be
  /// as they were written. The others are read.
  func versions(of writes: [EncodedWrite]) async throws -> [ProjectID: Version]

  /// Writes of one group may share a request.
  func group(of write: RemoteWrite) -> Int

  /// How many writes of a group may share a request.
  func most(inGroup group: Int) -> Int

  /// One request for writes of one group: at most `most(inGroup:)`.
  func writing(_ writes: [EncodedWrite]) throws -> HTTPRequest

  /// What an answer that is 2xx says of each of them; nil where it is not such an answer.
  func outcomes(
    of response: HTTPResponse, _ writes: [EncodedWrite]
  ) throws -> [ItemOutcome]?

  /// Whether a refusal of a whole request is one of the remote, and not of a record in it.
  func concernsAll(_ response: HTTPResponse) -> Bool

  /// Which of the writes a refusal of all of them blames.
  func culprit(of response: HTTPResponse, _ writes: [EncodedWrite]) -> Int?

  /// What a refusal of a request with one write says of it.
  func outcome(ofRefusal response: HTTPResponse, _ write: EncodedWrite) -> ItemOutcome

  /// What a status means to people, where the server's kind gives it a meaning of its own.
  func words(of status: Int) -> String?
}

/// What a dialect's requests may carry and its server promises.
struct DialectTraits: Sendable {
  enum Conditions: Sendable {
    /// Requests carry them, and the server holds to them.
    case carried
    /// There are none, or they are not enough: records are looked at right before they are written.
    case looked
  }

  var writesPerRequest = 1
  /// How many writes are worth handing over at once where each is a request of its own.
  var writesAtOnce = 1
  var fetchesPerRequest = 100
  var bytesPerRequest = 4 << 20
  var conditions = Conditions.carried
  /// Whether the server may leave records out of an answer that would be too long for it.
  var cutsAnswers = false
  /// Whether an answer names every record that was asked for, those too that are not there.
  var namesAbsent = false
}

/// One element of an answer to a request for records.
enum FetchedElement: Sendable {
  case record(RemoteRecord)
  case absent(String)
}

/// A write with its record as the server wants it.
struct EncodedWrite: Sendable {
  var write: RemoteWrite
  /// Empty for a deletion.
  var body: [UInt8]
  /// The version that was seen right before, where the record was looked at.
  var seen: Version?
  /// When the server answered to it, by its own clock.
  var answeredAt: Timestamp?

  var id: ProjectID { write.id }
}

/// How one write of a request ended.
enum ItemOutcome: Sendable {
  /// - Parameters:
  ///   - version: as a listing would name it; nil where the answer does not say, which is then read.
  ///   - updatedAt: the stamp that the server keeps, where it says.
  case stored(version: Version?, etag: String?, updatedAt: Timestamp?)
  /// The record is stored, and its version is told by `versions(of:)`.
  ///
  /// - Parameter at: the server's time of it.
  case unnamed(at: Timestamp?)
  case deleted
  /// The condition did not hold.
  case conflict
  case refused(status: Int, message: String)
  /// It was not carried out for trouble that passes.
  case again(status: Int, message: String)
}
