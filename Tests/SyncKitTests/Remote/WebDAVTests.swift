import TestSupport
import Testing

@testable import SyncKit

/// A WebDAV folder on servers of many habits.
@Suite("WebDAV")
struct WebDAVTests {
  private struct Folder {
    let model: WebDAVModel
    let remote: any RemoteStore

    init(
      _ change: (inout WebDAVModel.Habits) -> Void = { _ in },
      options alter: (inout RemoteOptions) -> Void = { _ in }
    ) throws {
      var habits = WebDAVModel.Habits()
      change(&habits)
      model = WebDAVModel(habits)
      var options = RemoteOptions(url: WebDAVModel.url)
      options.dialect = .webdav
      alter(&options)
      let model = model
      let jump = JumpingClock()
      // Who waits for the server's clock finds that it went on.
      remote = try makeRemote(
        options, transport: model.transport, clock: ServerClock(jump, model), random: { 0.5 })
    }

    func create(_ ids: [String]) async throws -> [WriteOutcome] {
      try await remote.write(ids.map { .put(.sample($0), .absent) }).outcomes
    }

    func engine() throws -> (LocalStore, SyncEngine) {
      let store = try LocalStore(inMemory: ())
      return (store, SyncEngine(store: store, remote: remote, options: .both))
    }
  }

  @Test(
    "many are one request each and one listing, whatever the tags are like",
    arguments: [true, false], [WebDAVModel.Habits.Tags.strong, .weak, .bare, .none])
  func many(honours: Bool, tags: WebDAVModel.Habits.Tags) async throws {
    let folder = try Folder { ($0.honoursConditions, $0.tags) = (honours, tags) }
    let ids = (0..<100).map { "p\($0)" }
    let outcomes = try await folder.create(ids)
    let listed = try await folder.remote.digests()
    for outcome in outcomes {
      let digest = try #require(outcome.digest, "\(outcome)")
      #expect(listed[digest.id]?.version == digest.version)
    }
    let log = folder.model.log
    #expect(log.count { $0.hasPrefix("PUT") } == 101)
    #expect(log.count { $0.hasPrefix("PROPFIND") } <= 2)
    #expect(log.count { $0.hasPrefix("GET") } <= (honours ? 1 : 102))
    #expect(await folder.remote.conditionalWrites == honours)
  }

  @Test("where the answer to a write names the tag, nothing more is asked")
  func namedByAnswer() async throws {
    let folder = try Folder { $0.answersTags = true }
    _ = try await folder.create(["first"])
    _ = try await folder.remote.entries()
    folder.model.clearLog()
    let outcomes = try await folder.create((0..<20).map { "p\($0)" })
    #expect(outcomes.allSatisfy { $0.digest != nil })
    #expect(folder.model.log.count <= 22, "\(folder.model.log)")
    let listed = try await folder.remote.digests()
    #expect(outcomes.allSatisfy { listed[$0.digest!.id]?.version == $0.digest!.version })
  }

  @Test("a version of another length or moment than what was sent is not taken for it")
  func writtenOver() async throws {
    let folder = try Folder { $0.honoursConditions = false }
    // Another program is faster than the listing that is to name the versions.
    let ids = (0..<20).map { "p\($0)" }
    let model = folder.model
    model.habits.answers["PUT p7.json"] = ScriptedAnswer(201)
    model.write(
      "{\"id\":\"p7\",\"title\":\"theirs\",\"updatedAt\":\"2027-01-01T00:00:00Z\"}", to: "p7.json")
    model.habits.answers["GET p7.json"] = ScriptedAnswer(404)
    let outcomes = try await folder.create(ids)
    #expect(outcomes[7].digest == nil)
    #expect(outcomes.count { $0.digest != nil } == 19)
  }

  @Test(
    "what is edited within one second, to the same length, is told apart",
    arguments: [WebDAVModel.Habits.Tags.none, .strong])
  func sameSecond(tags: WebDAVModel.Habits.Tags) async throws {
    let folder = try Folder { ($0.tags, $0.honoursConditions) = (tags, false) }
    let first = try #require(try await folder.create(["a"])[0].digest)
    // By somebody who did not wait.
    let text = try #require(folder.model.text(of: "a.json"))
    folder.model.write(
      text.replacing("A title", with: "a TITLE").replacing("123456", with: "123457"), to: "a.json")
    let late = Project.sample("a", title: "A TITLE", second: 5)
    #expect(try await folder.remote.write(.put(late, .matches(first))) == .preconditionFailed)
    #expect(
      try await folder.remote.write(.delete(first.id, .matches(first))) == .preconditionFailed)
    #expect(folder.model.text(of: "a.json")?.contains("a TITLE") == true)
  }

  @Test("a version that is young by the server's clock is not replaced before it is older")
  func young() async throws {
    let folder = try Folder { ($0.tags, $0.honoursConditions) = (.none, false) }
    let first = try #require(try await folder.create(["a"])[0].digest)
    let edit = Project.sample("a", title: "a TITLE", second: 1)
    let second = try #require(try await folder.remote.write(.put(edit, .matches(first))).digest)
    #expect(second.version != first.version)
    #expect(try await folder.remote.digests()[first.id]?.version == second.version)
  }

  @Test("two ids are not merged by a server that takes them for one", arguments: [true, false])
  func foldedNames(honours: Bool) async throws {
    let folder = try Folder { ($0.foldsCase, $0.honoursConditions) = (true, honours) }
    let ids = (0..<10).flatMap { ["abc\($0)", "ABC\($0)"] }
    let (store, engine) = try folder.engine()
    for id in ids { try await store.sql("INSERT INTO projects(id,title) VALUES('\(id)','\(id)')") }
    for _ in 0..<2 {
      let report = try await engine.synchronize()
      #expect(report.outcome == .partial && report.failed.count == 10, "\(report)")
      #expect(report.failed.allSatisfy { $0.message.contains("takes the two for one") })
    }
    #expect(try await store.count() == 20)
    let last = try await engine.synchronize()
    #expect(!last.wroteAnything)
    for number in 0..<10 {
      let text = try #require(folder.model.text(of: "abc\(number).json"))
      #expect(
        text.contains("\"title\":\"abc\(number)\"") == text.contains("\"id\":\"abc\(number)\""))
    }
  }

  @Test("a file that is no project is reported, and the others go on")
  func unreadable() async throws {
    let folder = try Folder()
    folder.model.write("{\"id\":", to: "half.json")
    folder.model.write("{}", to: "notes.txt")
    _ = try await folder.create(["a"])
    let (store, engine) = try folder.engine()
    let report = try await engine.synchronize()
    #expect(report.outcome == .partial && report.failed.map(\.id) == ["half"], "\(report)")
    #expect(try await store.count() == 1)
    #expect(try await !engine.synchronize().wroteAnything)
    #expect(folder.model.text(of: "half.json") == "{\"id\":")
  }

  @Test(
    "statuses are told in words",
    arguments: [
      ("PROPFIND ", 404, "make it"), ("PROPFIND ", 405, "WebDAV"), ("PUT a.json", 409, "make it"),
      ("PUT a.json", 405, "may only be read"), ("PUT a.json", 413, "larger"),
      ("PUT a.json", 423, "locked"), ("PUT a.json", 507, "no room"),
    ])
  func words(_ place: String, _ status: Int, _ words: String) async throws {
    let folder = try Folder { $0.answers[place] = ScriptedAnswer(status) }
    var told = ""
    do {
      _ = try await folder.remote.entries()
      if case .refused(_, let message) = try await folder.create(["a"])[0] { told = message }
    } catch let error as SyncError {
      told = error.message
      #expect([SyncError.Code.protocolViolation, .offline].contains(error.code))
    }
    #expect(told.contains(words), "\(told)")
  }

  @Test("a page in the place of a record or a list is nobody's word")
  func pages() async throws {
    let page = ScriptedAnswer(200, body: "<html></html>", type: "text/html")
    let folder = try Folder { $0.answers["GET a.json"] = page }
    folder.model.write("{}", to: "a.json")
    await #expect(throws: SyncError.self) {
      _ = try await folder.remote.fetch([ProjectID(trusted: "a")])
    }
    folder.model.habits.answers["PROPFIND "] = page
    await #expect(throws: SyncError.self) { _ = try await folder.remote.entries() }
  }

  @Test("auto sees a Nextcloud by its address")
  func recognised() throws {
    for (path, isSeen) in [
      ("/remote.php/dav/files/me/projects", true), ("/cloud/remote.php/webdav/projects", true),
      ("/dav/projects", false),
    ] {
      let options = RemoteOptions(url: "http://localhost" + path)
      let remote = try makeRemote(options, transport: WebDAVModel().transport)
      #expect((remote is DialectRemote<WebDAVDialect>) == isSeen, "\(path)")
    }
  }

  @Test("what a check finds out is true of the real ones", arguments: WebDAVServer.Kind.allCases)
  func checked(_ kind: WebDAVServer.Kind) async throws {
    var options = RemoteOptions(url: try await WebDAVServer.shared(kind).folder())
    options.dialect = .webdav
    options.credentials = Authorization.basic(
      user: WebDAVServer.user, password: WebDAVServer.password)
    let remote = try makeRemote(options, transport: CurlTransport())
    try await remote.probe()
    let findings = try await WriteProbe.run(on: remote)
    #expect(findings.allSatisfy { $0.kind != .fault }, "\(findings)")
    #expect(try await remote.entries().isEmpty)
    #expect(try await !remote.facts().isEmpty)
  }
}

/// A clock whose sleeps are over at once, and move the server's on.
private struct ServerClock: Clock {
  let jump: JumpingClock
  let model: WebDAVModel

  init(_ jump: JumpingClock, _ model: WebDAVModel) { (self.jump, self.model) = (jump, model) }

  var now: JumpingClock.Instant { jump.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: JumpingClock.Instant, tolerance: Duration?) async throws {
    let seconds = jump.now.duration(to: deadline).components.seconds
    try await jump.sleep(until: deadline, tolerance: tolerance)
    model.pass(seconds: seconds)
  }
}
