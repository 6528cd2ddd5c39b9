import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// A remote before a scripted server, and the clock that its retries wait by.
struct Scripted: Sendable {
  let remote: any RemoteStore
  let transport: ScriptedTransport
  let clock = JumpingClock()

  /// What a test wants otherwise.
  struct Change {
    var apply: (inout RemoteOptions) -> Void

    static func setting(_ apply: @escaping (inout RemoteOptions) -> Void) -> Change {
      Change(apply: apply)
    }
  }

  init(
    url: String = "https://h.example/v1/projects", dialect: RemoteOptions.Dialect = .rest,
    chunk: Int = 1000, change: Change = .setting { _ in },
    _ handler: @escaping @Sendable (HTTPRequest, Int) async throws -> ScriptedAnswer
  ) throws {
    transport = ScriptedTransport(chunk: chunk, handler)
    var options = RemoteOptions(url: url)
    options.dialect = dialect
    options.honoursConditions = true
    change.apply(&options)
    remote = try makeRemote(
      options, transport: transport, clock: clock, random: { 0.999 },
      now: { Timestamp(microseconds: 1_800_000_000_000_000) })
  }

  /// The error with which a listing ends.
  func listingError(sourceLocation: SourceLocation = #_sourceLocation) async -> SyncError? {
    await #expect(throws: SyncError.self, sourceLocation: sourceLocation) {
      _ = try await remote.entries()
    }
  }
}

@Suite("What comes back, and what it is")
struct TroubleTests {
  @Test(
    "no connection is retried, then offline",
    arguments: [
      TransportError.Code.nameNotResolved, .cannotConnect, .connectionLost, .timedOut,
    ])
  func offline(_ code: TransportError.Code) async throws {
    let scripted = try Scripted { request, _ in throw TransportError.scripted(code, request) }
    let error = await scripted.listingError()
    #expect(error?.code == .offline)
    #expect(error?.message.contains("https://h.example/v1/projects") == true)
    #expect(scripted.clock.elapsed == .seconds(20))
    #expect((4...8).contains(scripted.transport.requests.count))
  }

  @Test(
    "a transient status is retried and forgotten", arguments: [408, 425, 429, 500, 502, 503, 504])
  func transient(_ status: Int) async throws {
    let scripted = try Scripted { _, number in
      number < 4 ? ScriptedAnswer(status) : .json("[]")
    }
    #expect(try await scripted.remote.entries() == [])
    #expect(scripted.transport.requests.count == 4)
  }

  @Test("a status that stays is offline, in the server's words", arguments: [429, 500, 503])
  func unavailable(_ status: Int) async throws {
    let scripted = try Scripted { _, _ in
      .json("{\"title\":\"down for maintenance\"}", status: status)
    }
    let error = await scripted.listingError()
    #expect(error?.code == .offline)
    #expect(error?.status == status)
    #expect(error?.message.contains("down for maintenance") == true)
    #expect(error?.message.contains("\(status)") == true)
  }

  @Test("DNS that is down for ten minutes costs a handful of attempts")
  func tenMinutes() async throws {
    let clock = JumpingClock()
    let transport = ScriptedTransport { request, _ in
      guard clock.elapsed >= .seconds(600) else {
        throw TransportError.scripted(.nameNotResolved, request)
      }
      return .json("[]")
    }
    var options = RemoteOptions(url: "https://h.example/v1/projects")
    options.retryFor = .seconds(3600)
    let remote = try makeRemote(
      options, transport: transport, clock: clock, random: { 0.5 })
    #expect(try await remote.entries() == [])
    #expect(transport.requests.count < 15)
  }

  @Test("there are no more requests at once than the options say, whoever asks for what")
  func atOnce() async throws {
    let underWay = Mutex((now: 0, most: 0))
    let scripted = try Scripted(change: .setting { $0.concurrency = 3 }) { request, _ in
      underWay.withLock { count in
        count.now += 1
        count.most = max(count.most, count.now)
      }
      for _ in 0..<200 { await Task.yield() }
      underWay.withLock { $0.now -= 1 }
      return ScriptedAnswer(404)
    }
    let ids = (0..<12).map { ProjectID(trusted: "p\($0)") }
    let outcomes = try await withThrowingTaskGroup(of: [FetchOutcome].self) { group in
      for _ in 0..<4 { group.addTask { try await scripted.remote.fetch(ids) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(outcomes == Array(repeating: .absent, count: 48))
    #expect(underWay.withLock { $0.most } <= 3)
  }

  @Test("what is held in memory whole is bounded", arguments: RemoteOptions.Dialect.allCases)
  func wholeAnswers(_ dialect: RemoteOptions.Dialect) async throws {
    let urls: [RemoteOptions.Dialect: String] = [
      .kinto: "https://h.example/v1/buckets/b/collections/c/records",
      .pocketbase: "https://h.example/api/collections/c/records",
      .firestore: "https://h.example/v1/projects/p/databases/d/documents/c",
    ]
    let url = urls[dialect] ?? "https://h.example/v1/projects"
    let scripted = try Scripted(url: url, dialect: dialect) { _, _ in .json("{}") }
    _ = try? await scripted.remote.fetch(["a", "b"].map { ProjectID(trusted: $0) })
    _ = try? await scripted.remote.write([.put(.sample("a"), .absent)])
    #expect(!scripted.transport.requests.isEmpty)
    // A listing is read as it comes.
    for request in scripted.transport.requests
    where request.method != .propfind && (request.method != .get || request.url != url) {
      #expect(request.responseLimit <= HTTPRequest.wholeResponseLimit, "\(request.url)")
    }
  }

  @Test("the delay of a retry is random up to a span that doubles")
  func jitter() async throws {
    let scripted = try Scripted { _, number in
      number < 4 ? ScriptedAnswer(503) : .json("[]")
    }
    _ = try await scripted.remote.entries()
    #expect(scripted.clock.sleeps == [.seconds(0.999), .seconds(1.998), .seconds(3.996)])
  }

  @Test("Retry-After to one of eight workers holds all of them")
  func retryAfterHoldsAll() async throws {
    let clock = JumpingClock()
    let early = Mutex(0)
    let refused = Mutex(false)
    let transport = ScriptedTransport { _, number in
      if number == 1 {
        refused.withLock { $0 = true }
        return ScriptedAnswer(429, headers: ["Retry-After": "5"])
      }
      if clock.elapsed < .seconds(5) { early.withLock { $0 += 1 } }
      return ScriptedAnswer(404)
    }
    let remote =
      try makeRemote(
        RemoteOptions(url: "https://h.example/p"), transport: transport, clock: clock,
        random: { 0 }) as? AutoRemote
    let rest = RESTRemote(try #require(remote).session)
    _ = try await rest.fetch([ProjectID(trusted: "first")])
    let before = early.withLock { $0 }
    _ = try await rest.fetch((0..<40).map { ProjectID(trusted: "p\($0)") })
    #expect(before == 0)
    #expect(early.withLock { $0 } == 0)
    #expect(clock.elapsed >= .seconds(5))
    #expect(refused.withLock { $0 })
  }

  @Test(
    "Retry-After that asks for nothing, or for nonsense, holds nobody",
    arguments: ["0", "-1", "Sun, 06 Nov 1994 08:49:37 GMT", "soon"])
  func retryAfterOfNothing(_ value: String) async throws {
    let scripted = try Scripted { _, number in
      number < 2 ? ScriptedAnswer(503, headers: ["Retry-After": value]) : .json("[]")
    }
    #expect(try await scripted.remote.entries() == [])
    #expect(scripted.clock.sleeps == [.seconds(0.999)])
  }

  @Test("a Retry-After beyond the budget gives up at once and says until when")
  func retryAfterTooLong() async throws {
    let scripted = try Scripted { _, _ in
      ScriptedAnswer(503, headers: ["Retry-After": "99999999"])
    }
    let error = await scripted.listingError()
    #expect(error?.code == .offline)
    #expect(error?.message.contains("the server asks to wait until 2027-01-15T09:00:00Z") == true)
    #expect(scripted.transport.requests.count == 1)
    #expect(scripted.clock.elapsed == .zero)
    #expect(await scripted.listingError()?.code == .offline)
    #expect(scripted.transport.requests.count == 1)
  }

  @Test("a date is measured against the server's own clock")
  func retryAfterDate() async throws {
    let scripted = try Scripted { _, number in
      guard number < 2 else { return .json("[]") }
      return ScriptedAnswer(
        503,
        headers: [
          "Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
        ])
    }
    #expect(try await scripted.remote.entries() == [])
    #expect(scripted.clock.elapsed == .seconds(10))
  }

  @Test("Backoff with a success holds the next request")
  func backoff() async throws {
    let scripted = try Scripted { _, _ in .json("[]", headers: ["Backoff": "7"]) }
    _ = try await scripted.remote.entries()
    #expect(scripted.clock.elapsed == .zero)
    _ = try await scripted.remote.entries()
    #expect(scripted.clock.elapsed == .seconds(7))
  }

  @Test("401 and 403 on the collection are refused credentials", arguments: [401, 403])
  func unauthorized(_ status: Int) async throws {
    let scripted = try Scripted(change: .setting { $0.credentials = Authorization.bearer("t0k3n") })
    {
      request, _ in
      .json("{\"detail\":\"bad \(request.headers["Authorization"] ?? "")\"}", status: status)
    }
    let error = await scripted.listingError()
    #expect(error?.code == .unauthorized)
    #expect(error?.status == status)
    #expect(scripted.transport.requests.count == 1)
    #expect(error?.message.contains("t0k3n") == false)
    #expect(error?.message.contains("bad (hidden)") == true)
  }

  @Test(
    "404, 410 and other refusals of the collection are no empty list",
    arguments: [400, 404, 405, 410, 418])
  func wrongAddress(_ status: Int) async throws {
    let scripted = try Scripted { _, _ in
      ScriptedAnswer(status, body: "<html>nothing here", type: "text/html")
    }
    let error = await scripted.listingError()
    #expect(error?.code == .protocolViolation)
    #expect(error?.status == status)
    #expect(scripted.transport.requests.count == 1)
  }

  @Test("a certificate that is not trusted is never retried")
  func untrusted() async throws {
    let scripted = try Scripted { request, _ in
      throw TransportError.scripted(.untrusted, request)
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
    #expect(scripted.transport.requests.count == 1)
  }

  @Test("what the transport does not follow names its target, without the query")
  func redirect() async throws {
    let scripted = try Scripted { _, _ in
      ScriptedAnswer(301, headers: ["Location": "https://other.example/login?token=abc"])
    }
    let error = await scripted.listingError()
    #expect(error?.code == .protocolViolation)
    #expect(error?.message.contains("https://other.example/login") == true)
    #expect(error?.message.contains("abc") == false)
    let id = ProjectID(trusted: "a")
    let digest = RemoteDigest(
      id: id, updatedAt: Timestamp(microseconds: 0), version: Version("\"1\""), etag: "\"1\"")
    await #expect(throws: SyncError.self) {
      _ = try await scripted.remote.write(.delete(id, .matches(digest)))
    }
  }

  @Test("a request that cannot be sent is a matter of configuration")
  func invalidRequest() async throws {
    let scripted = try Scripted { request, _ in
      throw TransportError.scripted(.invalidRequest, request)
    }
    #expect(await scripted.listingError()?.code == .configuration)
  }

  // MARK: One record

  static let id = ProjectID(trusted: "a")

  @Test(
    "a refusal of one record is an outcome with the server's words",
    arguments: [400, 403, 405, 413, 422])
  func refusedRecord(_ status: Int) async throws {
    let scripted = try Scripted { _, _ in
      .json("{\"detail\":\"no such state\"}", status: status)
    }
    let outcome = try await scripted.remote.write(.put(.sample("a"), .absent))
    #expect(outcome == .refused(status: status, message: "no such state"))
    #expect(
      try await scripted.remote.fetch([Self.id])
        == [.refused(status: status, message: "no such state")])
    #expect(scripted.transport.requests.count == 2)
  }

  @Test("401 on one record concerns the whole remote")
  func unauthorizedRecord() async throws {
    let scripted = try Scripted { _, _ in ScriptedAnswer(401) }
    let error = await #expect(throws: SyncError.self) {
      _ = try await scripted.remote.write(.put(.sample("a"), .absent))
    }
    #expect(error?.code == .unauthorized)
  }

  @Test("500 for one record while the collection answers is that record's fault")
  func poisonedRecord() async throws {
    let scripted = try Scripted { request, _ in
      request.method == .put ? .json("{\"message\":\"boom\"}", status: 500) : .json("[]")
    }
    let outcome = try await scripted.remote.write(.put(.sample("a"), .absent))
    #expect(outcome == .refused(status: 500, message: "boom"))
  }

  @Test("500 for everything is offline")
  func everythingFails() async throws {
    let scripted = try Scripted { _, _ in ScriptedAnswer(500) }
    let error = await #expect(throws: SyncError.self) {
      _ = try await scripted.remote.write(.put(.sample("a"), .absent))
    }
    #expect(error?.code == .offline)
  }

  @Test("five attempts are enough for one record while others are answered")
  func fiveAttempts() async throws {
    let puts = Mutex(0)
    let scripted = try Scripted { request, _ in
      guard request.url.hasSuffix("/poison") else { return ScriptedAnswer(404) }
      puts.withLock { $0 += 1 }
      return ScriptedAnswer(502)
    }
    let remote = scripted.remote
    async let poison = remote.fetch([ProjectID(trusted: "poison")])
    while puts.withLock({ $0 }) < 5, scripted.clock.elapsed < .seconds(20) {
      _ = try await remote.fetch([Self.id])
    }
    #expect(try await poison == [.refused(status: 502, message: "HTTP 502")])
    #expect(puts.withLock { $0 } <= 8)
  }

  @Test(
    "a PUT whose reply is lost is found to be stored, not written twice", arguments: [true, false])
  func lostReply(_ honours: Bool) async throws {
    var habits = RESTServerModel.Habits()
    (habits.honoursCreates, habits.honoursUpdates) = (honours, honours)
    let server = RESTServerModel(habits)
    let isLost = Mutex(false)
    server.setAfter { request, answer in
      let loses = isLost.withLock { isLost in
        defer { if request.method == .put { isLost = true } }
        return request.method == .put && !isLost
      }
      if loses { throw TransportError.scripted(.connectionLost, request) }
      return answer
    }
    var options = RemoteOptions(url: "http://localhost/v1/projects")
    options.honoursConditions = honours
    options.dialect = .rest
    let remote = try makeRemote(
      options, transport: server.transport, clock: JumpingClock(), random: { 0.5 })
    let outcome = try await remote.write(.put(.sample("a"), .absent))
    let listed = try await remote.digests()[Self.id]
    #expect(outcome.digest != nil)
    #expect(outcome.digest?.version == listed?.version)
    #expect(server.log.filter { $0.hasPrefix("PUT") }.count <= 2)
    #expect(server.projects.count == 1)
  }

  @Test("a DELETE that is repeated after its reply was lost has deleted")
  func lostDelete() async throws {
    let scripted = try Scripted { request, number in
      if number == 1 { throw TransportError.scripted(.connectionLost, request) }
      return ScriptedAnswer(404)
    }
    let digest = RemoteDigest(
      id: Self.id, updatedAt: Timestamp(microseconds: 0), version: Version("\"1\""), etag: "\"1\"")
    #expect(try await scripted.remote.write(.delete(Self.id, .matches(digest))) == .deleted)
  }

  @Test("a login page on a 200 is not an acknowledgement")
  func loginPage() async throws {
    let scripted = try Scripted { _, _ in
      ScriptedAnswer(200, body: "<html>Please log in", type: "text/html; charset=utf-8")
    }
    let digest = RemoteDigest(
      id: Self.id, updatedAt: Timestamp(microseconds: 0), version: Version("\"1\""), etag: "\"1\"")
    for write in [RemoteWrite.put(.sample("a"), .absent), .delete(Self.id, .matches(digest))] {
      let error = await #expect(throws: SyncError.self) {
        _ = try await scripted.remote.write(write)
      }
      #expect(error?.code == .protocolViolation)
    }
    await #expect(throws: SyncError.self) { _ = try await scripted.remote.fetch([Self.id]) }
  }
}
