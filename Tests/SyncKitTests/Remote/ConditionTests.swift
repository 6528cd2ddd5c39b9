import Synchronization
import TestSupport
import Testing

@testable import SyncKit

@Suite("Conditions on writes")
struct ConditionTests {
  let server: RESTServerModel
  let remote: any RemoteStore

  init() throws {
    (server, remote) = try Self.make(RESTServerModel.Habits())
  }

  static func make(
    _ habits: RESTServerModel.Habits, honours: Bool? = nil, server former: String? = nil
  ) throws -> (RESTServerModel, any RemoteStore) {
    let server = RESTServerModel(habits)
    var options = RemoteOptions(url: "http://localhost/v1/projects")
    options.dialect = .rest
    (options.honoursConditions, options.server) = (honours, former)
    let remote = try makeRemote(
      options, transport: server.transport, clock: JumpingClock(), random: { 0.5 })
    return (server, remote)
  }

  private func puts(_ server: RESTServerModel) -> Int {
    server.log.filter { $0.hasPrefix("PUT") }.count
  }

  @Test("the first update finds out that conditions are honoured, and writes once")
  func honoured() async throws {
    server.put(.sample("a"))
    server.put(.sample("b"))
    let seen = try await remote.digests()
    #expect(await remote.conditionalWrites == nil)
    let a = try #require(seen[ProjectID(trusted: "a")])
    let first = try await remote.write(.put(.sample("a", title: "x", second: 1), .matches(a)))
    #expect(first.digest != nil)
    #expect(await remote.conditionalWrites == true)
    server.clearLog()
    let second = try await remote.write(
      .put(.sample("a", title: "y", second: 2), .matches(try #require(first.digest))))
    #expect(second.digest?.etag == "\"4\"")
    #expect(server.log == ["PUT /v1/projects/a"])
    server.clearLog()
    #expect(try await remote.write(.put(.sample("c"), .absent)).digest != nil)
    #expect(server.log == ["PUT /v1/projects/c"])
  }

  @Test("the first create finds it out as well, and nothing is written twice")
  func honouredByCreate() async throws {
    let outcome = try await remote.write(.put(.sample("a"), .absent))
    #expect(outcome.digest?.etag == "\"1\"")
    #expect(await remote.conditionalWrites == true)
  }

  @Test("another version of the server is asked anew", arguments: ["model/1", "model/2"])
  func anotherServer(_ name: String) async throws {
    var habits = RESTServerModel.Habits()
    (habits.honoursUpdates, habits.honoursCreates) = (false, false)
    habits.server = name
    let (server, remote) = try Self.make(habits, honours: true, server: "model/1")
    server.put(.sample("a"))
    let a = try #require(try await remote.digests()[ProjectID(trusted: "a")])
    _ = try await remote.write(.put(.sample("a", second: 1), .matches(a)))
    #expect(await remote.server == name)
    #expect(await remote.conditionalWrites == (name == "model/1"))
  }

  @Test("a server that ignores conditions is found out by the first update, which is then done")
  func ignored() async throws {
    var habits = RESTServerModel.Habits()
    (habits.honoursUpdates, habits.honoursCreates) = (false, false)
    let (server, remote) = try Self.make(habits)
    server.put(.sample("a"))
    let a = try #require(try await remote.digests()[ProjectID(trusted: "a")])
    server.clearLog()
    let outcome = try await remote.write(.put(.sample("a", second: 1), .matches(a)))
    #expect(outcome.digest != nil)
    #expect(puts(server) == 1)
    #expect(await remote.conditionalWrites == false)
    server.clearLog()
    #expect(
      try await remote.write(
        .put(.sample("a", second: 2), .matches(try #require(outcome.digest)))
      ).digest != nil)
    #expect(server.log == ["GET /v1/projects/a", "PUT /v1/projects/a"])
  }

  @Test("what was learned before is believed, and not probed again", arguments: [true, false])
  func remembered(_ honours: Bool) async throws {
    var habits = RESTServerModel.Habits()
    (habits.honoursUpdates, habits.honoursCreates) = (honours, honours)
    let (server, remote) = try Self.make(habits, honours: honours)
    #expect(await remote.conditionalWrites == honours)
    server.put(.sample("z"))
    _ = try await remote.digests()
    server.clearLog()
    #expect(try await remote.write(.put(.sample("a"), .absent)).digest != nil)
    #expect(puts(server) == 1)
    #expect(server.log.count == (honours ? 1 : 2))
  }

  @Test("a server without entity tags is read before each write")
  func withoutTags() async throws {
    var habits = RESTServerModel.Habits()
    habits.hasETags = false
    let (server, remote) = try Self.make(habits)
    server.put(.sample("a"))
    let a = try #require(try await remote.digests()[ProjectID(trusted: "a")])
    _ = try await remote.write(.put(.sample("a", second: 5), .matches(a)))
    #expect(await remote.conditionalWrites == false)
    #expect(puts(server) == 1)
  }

  @Test("writes at once do not all probe")
  func oneProbe() async throws {
    for number in 0..<8 { server.put(.sample("p\(number)")) }
    let seen = try await remote.digests()
    server.clearLog()
    let remote = remote
    try await withThrowingTaskGroup(of: WriteOutcome.self) { group in
      for digest in seen.values {
        group.addTask {
          try await remote.write(
            .put(.sample(digest.id.string, title: "new", second: 1), .matches(digest)))
        }
      }
      for try await outcome in group { #expect(outcome.digest != nil) }
    }
    #expect(puts(server) <= 8 + 2)
    #expect(server.projects.values.allSatisfy { $0.title == "new" })
  }

  @Test("another's edit between the look and the write is seen, where the server has tags")
  func editInBetween() async throws {
    server.put(.sample("a"))
    let a = try #require(try await remote.digests()[ProjectID(trusted: "a")])
    let server = server
    server.setAfter { request, answer in
      if request.method == .get { server.put(.sample("a", title: "theirs", second: 9)) }
      return answer
    }
    let outcome = try await remote.write(
      .put(.sample("a", title: "ours", second: 10), .matches(a)))
    #expect(outcome == .preconditionFailed)
    #expect(server.projects.values.map(\.title) == ["theirs"])
  }

  @Test("another's edit right after a write without a reply is not taken for ours")
  func editRightAfter() async throws {
    var habits = RESTServerModel.Habits()
    (habits.hasETags, habits.reply) = (false, .empty)
    let (server, remote) = try Self.make(habits)
    server.put(.sample("a"))
    let a = try #require(try await remote.digests()[ProjectID(trusted: "a")])
    server.setAfter { request, answer in
      if request.method == .put { server.put(.sample("a", title: "theirs", second: 9)) }
      return answer
    }
    let outcome = try await remote.write(
      .put(.sample("a", title: "ours", second: 10), .matches(a)))
    #expect(outcome == .preconditionFailed)
  }

  @Test("409 and 412 are the same", arguments: [409, 412])
  func conflict(_ status: Int) async throws {
    let scripted = try Scripted { _, _ in ScriptedAnswer(status) }
    #expect(
      try await scripted.remote.write(.put(.sample("a"), .absent)) == .preconditionFailed)
    #expect(scripted.transport.requests.count == 1)
  }

  @Test("a tag with a proxy's suffix is tried without it")
  func suffix() async throws {
    let scripted = try Scripted { request, _ in
      request.headers["If-Match"] == "\"5\""
        ? ScriptedAnswer(204, headers: ["ETag": "\"6\""])
        : request.method == .get ? .json("[]") : ScriptedAnswer(412)
    }
    let digest = RemoteDigest(
      id: ProjectID(trusted: "a"), updatedAt: Timestamp(microseconds: 0),
      version: Version("\"5-gzip\""), etag: "\"5-gzip\"")
    #expect(
      try await scripted.remote.write(.delete(digest.id, .matches(digest))) == .deleted)
  }

  @Test("a server that says stored and does not store is found out")
  func storedNowhere() async throws {
    let scripted = try Scripted { request, _ in
      request.method == .put
        ? ScriptedAnswer(204)
        : request.url.hasSuffix("projects") ? .json("[]") : ScriptedAnswer(404)
    }
    let outcome = try await scripted.remote.write(.put(.sample("a"), .absent))
    guard case .refused = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test("a DELETE that was only accepted is looked after")
  func accepted() async throws {
    let scripted = try Scripted { request, _ in
      request.method == .delete
        ? ScriptedAnswer(202) : .json("{\"id\":\"a\",\"updatedAt\":\"2026-11-30T17:24:00Z\"}")
    }
    let digest = RemoteDigest(
      id: ProjectID(trusted: "a"), updatedAt: Timestamp(microseconds: 0),
      version: Version("\"5\""), etag: "\"5\"")
    let outcome = try await scripted.remote.write(.delete(digest.id, .matches(digest)))
    guard case .refused(202, _) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test("a record under another's address is not taken over")
  func otherID() async throws {
    let scripted = try Scripted { _, _ in
      .json("{\"id\":\"b\",\"updatedAt\":\"2026-11-30T17:24:00Z\"}")
    }
    let outcomes = try await scripted.remote.fetch([ProjectID(trusted: "a")])
    guard case .unreadable(let record) = outcomes[0] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(record.id == "a")
  }
}
