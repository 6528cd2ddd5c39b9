import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// What is PostgREST's own: answers that are cut, rows that are hidden, conditions in the URL.
@Suite("PostgREST")
struct PostgRESTTests {
  private func table(
    _ habits: PostgRESTModel.Habits = PostgRESTModel.Habits(), token: String? = nil,
    over model: PostgRESTModel? = nil
  ) throws -> (remote: any RemoteStore, model: PostgRESTModel) {
    let model = model ?? PostgRESTModel(habits)
    var options = RemoteOptions(url: "http://localhost/projects")
    options.dialect = .postgrest
    if let token { options.credentials = Authorization.bearer(token) }
    let remote = try makeRemote(
      options, transport: model.transport, clock: JumpingClock(), random: { 0.5 })
    return (remote, model)
  }

  private func fill(_ remote: any RemoteStore, _ count: Int) async throws {
    let writes = (0..<count).map { RemoteWrite.put(.sample("p\($0)"), .absent) }
    for chunk in writes.chunks(of: await remote.limits.writesPerRequest) {
      for outcome in try await remote.write(chunk).outcomes { #expect(outcome.digest != nil) }
    }
  }

  @Test("a listing that is cut at every hundred rows is complete", arguments: [1000, 1001, 999])
  func cut(_ count: Int) async throws {
    var habits = PostgRESTModel.Habits()
    habits.maximumRows = 100
    let (remote, model) = try table(habits)
    try await fill(remote, count)
    model.clearLog()
    #expect(try await remote.digests().count == count)
    #expect(model.log.count == count / 100 + (count % 100 == 0 ? 1 : 2), "\(model.log.last ?? "")")
    let ids = (0..<250).map { ProjectID(trusted: "p\($0)") }
    for outcome in try await remote.fetch(ids) {
      if case .record = outcome { continue }
      Issue.record("\(outcome)")
    }
  }

  @Test("a table of one page is one request, proven by its count")
  func counted() async throws {
    let (remote, model) = try table()
    try await fill(remote, 50)
    model.clearLog()
    #expect(try await remote.digests().count == 50)
    #expect(model.log.count == 1)
  }

  @Test("10,000 rows are at most 11 requests and 1.5 MB")
  func idle() async throws {
    let (remote, model) = try table()
    try await fill(remote, 10_000)
    model.clearLog()
    let before = remote.traffic.bytesReceived
    #expect(try await remote.digests().count == 10_000)
    #expect(model.log.count <= 11 && remote.traffic.bytesReceived - before < 1_500_000)
  }

  @Test("without its token every row seems to be gone, and nothing is deleted")
  func hidden() async throws {
    var habits = PostgRESTModel.Habits()
    habits.token = "good"
    let (remote, model) = try table(habits, token: "good")
    let store = try LocalStore(inMemory: ())
    for number in 0..<20 {
      try await store.sql("INSERT INTO projects(id, title) VALUES(?, 't')", [.text("p\(number)")])
    }
    var options = SyncOptions()
    options.direction = .both
    let first = try await SyncEngine(store: store, remote: remote, options: options).synchronize()
    #expect(first.remote.appended == 20, "\(first.message)")
    let (anonymous, _) = try table(token: nil, over: model)
    let report = try await SyncEngine(store: store, remote: anonymous, options: options)
      .synchronize()
    #expect(report.outcome == .refused, "\(report.outcome)")
    let (stranger, _) = try table(token: "bad", over: model)
    let refused = try await SyncEngine(store: store, remote: stranger, options: options)
      .synchronize()
    #expect(refused.outcome == .unauthorized, "\(refused.outcome)")
    let last = try await SyncEngine(store: store, remote: remote, options: options).synchronize()
    #expect(last.unchanged == 20 && last.remote.total == 0 && last.local.total == 0)
  }

  @Test("a row that the table does not take is found among those of its request")
  func poison() async throws {
    var habits = PostgRESTModel.Habits()
    (habits.violating, habits.notAllowed) = ("poison", "forbidden")
    let (remote, _) = try table(habits)
    var projects = (0..<40).map { Project.sample("p\($0)") }
    projects[7].title = "poison"
    projects[31].title = "forbidden"
    let outcomes = try await remote.write(projects.map { .put($0, .absent) }).outcomes
    for (number, outcome) in outcomes.enumerated() {
      switch (number, outcome) {
      case (7, .refused(400, let message)): #expect(message.contains("check constraint"))
      case (31, .refused(403, let message)): #expect(message.contains("policy"))
      case (7, _), (31, _): Issue.record("\(outcome)")
      default: #expect(outcome.digest != nil, "\(number): \(outcome)")
      }
    }
  }

  @Test("no request changes or deletes rows without saying which")
  func filters() async throws {
    let (remote, model) = try table()
    try await fill(remote, 90)
    let digests = try await remote.digests()
    model.clearLog()
    let seen = Array(digests.values)
    let edits = seen.prefix(3).map {
      RemoteWrite.put(.sample($0.id.string, second: 9), .matches($0))
    }
    let ends = seen.dropFirst(3).map { RemoteWrite.delete($0.id, .matches($0)) }
    for outcome in try await remote.write(edits + ends).outcomes {
      if case .refused = outcome { Issue.record("\(outcome)") }
    }
    let writes = model.log.filter { !$0.hasPrefix("GET") }
    #expect(writes.count == 3 + 3, "\(writes)")
    #expect(writes.allSatisfy { $0.contains("updated_at=eq.") || $0.contains("updated_at.eq.") })
    #expect(try await remote.digests().count == 3)
  }

  @Test("auto finds out a Supabase by its address, and a PostgREST by its answers")
  func recognised() async throws {
    var options = RemoteOptions(url: "https://abc.supabase.co/rest/v1/projects")
    let model = PostgRESTModel()
    let supabase = try makeRemote(options, transport: model.transport)
    #expect(supabase is DialectRemote<PostgRESTDialect>)
    options.url = "http://localhost/projects?select=id"
    #expect(
      PostgRESTDialect.recognises(
        HTTPResponseHead(
          status: 200, headers: ["Server": "postgrest/12.2.3"])))
  }
}
