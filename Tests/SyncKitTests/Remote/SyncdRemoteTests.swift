import Synchronization
import TestSupport
import Testing

@testable import SyncKit

@Suite("The dialect syncd, and how it is found out")
struct SyncdRemoteTests {
  let server = SyncdServerModel()

  func remote(_ dialect: RemoteOptions.Dialect = .auto) throws -> any RemoteStore {
    var options = RemoteOptions(url: "http://localhost/v1/projects")
    options.dialect = dialect
    return try makeRemote(
      options, transport: server.transport, clock: JumpingClock(), random: { 0.5 })
  }

  @Test("auto takes the announcement on the first answer")
  func announced() async throws {
    server.put(.sample("a"))
    let remote = try remote()
    let (entries, listing) = try await remote.listing()
    #expect(entries.count == 1)
    #expect(listing.dialect == "syncd")
    #expect(listing.remoteID == "space-1")
    #expect(listing.version == CollectionVersion("\"c1\""))
    #expect(await remote.limits.writesPerRequest == 1000)
    #expect(await remote.conditionalWrites == true)
    #expect(
      server.log == [
        "GET /v1/projects", "GET /v1/projects?fields=id,updatedAt,etag&limit=10000",
      ])
  }

  @Test("auto before a plain server speaks rest, with no request more")
  func plain() async throws {
    let plain = RESTServerModel()
    plain.put(.sample("a"))
    let remote = try makeRemote(
      RemoteOptions(url: "http://localhost/v1/projects"), transport: plain.transport)
    #expect(try await remote.listing().listing.dialect == "rest")
    #expect(plain.log == ["GET /v1/projects"])
    #expect(await remote.limits.writesPerRequest == 1)
  }

  @Test(
    "a sync with nothing to do costs one request",
    arguments: [
      RemoteOptions.Dialect.auto, .syncd,
    ])
  func unchanged(_ dialect: RemoteOptions.Dialect) async throws {
    server.put(.sample("a"))
    let version = try await remote().listing().listing.version
    let before = server.log.count
    let (entries, listing) = try await remote(dialect).listing(since: version)
    #expect(entries.isEmpty)
    #expect(listing.isUnchanged)
    #expect(listing.version == version)
    #expect(server.log.count == before + 1)
  }

  @Test("a plain server is no syncd remote")
  func notSyncd() async throws {
    let scripted = try Scripted(dialect: .syncd) { _, _ in .json("[]") }
    #expect(await scripted.listingError()?.code == .protocolViolation)
  }

  @Test("a write before any listing finds the dialect out first")
  func writeFirst() async throws {
    let outcome = try await remote().write(.put(.sample("a"), .absent))
    #expect(outcome.digest?.etag == "\"1\"")
    #expect(server.log == ["GET /v1/projects", "POST /v1/projects/batch"])
  }

  @Test(
    "a run of results that does not fit the records is no answer",
    arguments: [
      #"{"status":201,"count":3,"sequence":1,"hashes":"AAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAD"}"#,
      #"{"status":201,"count":2,"sequence":1,"hashes":"AAAAAAAAAAE="}"#,
      #"{"status":201,"count":1,"sequence":1,"hashes":"AAAAAAAAAAE="}"#,
      #"{"status":412,"count":2,"sequence":1,"hashes":"AAAAAAAAAAEAAAAAAAAAAg=="}"#,
      #"{"status":201,"count":2,"sequence":0,"hashes":"AAAAAAAAAAEAAAAAAAAAAg=="}"#,
      #"{"status":201,"count":-2,"sequence":1,"hashes":"AAAAAAAAAAEAAAAAAAAAAg=="}"#,
      #"{"status":201,"count":2,"sequence":1,"hashes":"no base 64"}"#,
    ])
  func wrongRun(_ line: String) async throws {
    server.setAfter { request, answer in
      guard request.method == .post else { return answer }
      var answer = ScriptedAnswer(200, body: line + "\n", type: "application/x-ndjson")
      answer.headers["Syncd-Capabilities"] = "1; batch=1000"
      return answer
    }
    let remote = try remote()
    let error = await #expect(throws: SyncError.self) {
      _ = try await remote.write([.put(.sample("a"), .absent), .put(.sample("b"), .absent)])
    }
    #expect(error?.code == .protocolViolation)
  }

  @Test("a run of results names the records' tags")
  func run() async throws {
    server.setAfter { request, answer in
      guard request.method == .post else { return answer }
      var answer = answer
      answer.body = Array(
        #"{"status":201,"count":2,"sequence":9,"hashes":"AAAAAAAAAAH//////////w=="}"#.utf8)
      return answer
    }
    let result = try await remote().write([
      .put(.sample("a"), .absent), .put(.sample("b"), .absent),
    ])
    #expect(
      result.outcomes.map { $0.digest?.etag }
        == ["\"9-0000000000000001\"", "\"10-ffffffffffffffff\""])
  }

  @Test("only the writes that fail fail, and the version says whether anyone else wrote")
  func batch() async throws {
    server.put(.sample("there"))
    let remote = try remote()
    let listing = try await remote.listing().listing
    let result = try await remote.write([
      .put(.sample("a"), .absent), .put(.sample("there"), .absent),
      .put(.sample("b", title: "refuse me"), .absent), .delete(ProjectID(trusted: "no"), .absent),
      .put(.sample("c"), .absent),
    ])
    #expect(result.outcomes.map { $0.digest != nil } == [true, false, false, false, true])
    #expect(result.outcomes[1] == .preconditionFailed)
    #expect(result.outcomes[2] == .refused(status: 422, message: "a title like that"))
    #expect(result.outcomes[3] == .deleted)
    #expect(result.previous == listing.version)
    #expect(result.version == CollectionVersion("\"c3\""))
  }

  @Test("a batch that is too large is halved until it fits")
  func halves() async throws {
    server.habits.refusedAbove = 3
    let remote = try remote()
    let listing = try await remote.listing().listing
    let result = try await remote.write(
      (0..<10).map { .put(.sample("p\($0)"), .absent) })
    #expect(result.outcomes.allSatisfy { $0.digest != nil })
    #expect(result.outcomes.compactMap { $0.digest?.id.string } == (0..<10).map { "p\($0)" })
    #expect(result.previous == listing.version)
    #expect(result.version == CollectionVersion("\"c10\""))
    #expect(server.projects.count == 10)
  }

  @Test("one record that is too large is refused alone")
  func tooLarge() async throws {
    server.habits.refusedAbove = 0
    let outcome = try await remote().write(.put(.sample("a"), .absent))
    #expect(outcome == .refused(status: 413, message: "too many"))
  }

  @Test("as many writes as fit, and one more, are split by count and by bytes")
  func limits() async throws {
    server.habits.batch = 4
    let remote = try remote()
    _ = try await remote.entries()
    for count in [4, 5] {
      let result = try await remote.write(
        (0..<count).map { .put(.sample("\(count)-\($0)"), .absent) })
      #expect(result.outcomes.count == count)
    }
    #expect(server.log.filter { $0.hasSuffix("/batch") }.count == 1 + 2)
    let long = String(repeating: "x", count: 60_000)
    _ = try await remote.write([
      .put(.sample("x", title: long), .absent), .put(.sample("y", title: long), .absent),
    ])
    #expect(server.log.filter { $0.hasSuffix("/batch") }.count == 3 + 2)
    #expect(server.projects.count == 11)
  }

  @Test(
    "an answer that is short, or names others, is not the contract",
    arguments: [
      "", "{\"id\":\"a\",\"status\":201,\"etag\":\"\\\"1\\\"\"}\n",
      "{\"id\":\"b\",\"status\":201,\"etag\":\"x\"}\n{\"id\":\"a\",\"status\":201,\"etag\":\"x\"}",
      "{\"id\":\"a\",\"status\":201}\n{\"id\":\"b\",\"status\":201}", "<html>", "{}\n{}",
    ])
  func shortAnswer(_ body: String) async throws {
    let scripted = try Scripted(dialect: .syncd) { _, _ in
      ScriptedAnswer(200, body: body, type: "application/x-ndjson")
    }
    let error = await #expect(throws: SyncError.self) {
      _ = try await scripted.remote.write([
        .put(.sample("a"), .absent), .put(.sample("b"), .absent),
      ])
    }
    #expect(error?.code == .protocolViolation)
  }

  @Test("a batch whose answer was lost is found to be stored")
  func lostAnswer() async throws {
    let isLost = Mutex(false)
    server.setAfter { request, answer in
      let loses = isLost.withLock { isLost in
        defer { if request.url.hasSuffix("/batch") { isLost = true } }
        return request.url.hasSuffix("/batch") && !isLost
      }
      if loses { throw TransportError.scripted(.connectionLost, request) }
      return answer
    }
    let result = try await remote().write([
      .put(.sample("a"), .absent), .put(.sample("b"), .absent),
    ])
    #expect(result.outcomes.compactMap { $0.digest?.etag } == ["\"1\"", "\"2\""])
    #expect(result.previous == nil)
    #expect(server.projects.count == 2)
  }

  @Test("fetches are split to what the remote takes")
  func fetches() async throws {
    for number in 0..<250 { server.put(.sample("p\(number)")) }
    let remote = try remote()
    _ = try await remote.entries()
    let outcomes = try await remote.fetch((0..<250).map { ProjectID(trusted: "p\($0)") })
    #expect(outcomes.count == 250)
    #expect(server.log.filter { $0.hasSuffix("/fetch") }.count == 3)
  }
}
