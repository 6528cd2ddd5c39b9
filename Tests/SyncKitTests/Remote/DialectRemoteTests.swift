import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// What the driver does for every dialect, where a server has ideas of its own.
@Suite("Dialects over one driver")
struct DialectRemoteTests {
  private func couch(
    _ habits: CouchModel.Habits = CouchModel.Habits(), dialect: RemoteOptions.Dialect = .couchdb,
    _ change: (inout RemoteOptions) -> Void = { _ in }
  ) throws -> (remote: any RemoteStore, model: CouchModel) {
    let model = CouchModel(habits)
    var options = RemoteOptions(url: "http://localhost/projects")
    options.dialect = dialect
    change(&options)
    let remote = try makeRemote(
      options, transport: model.transport, clock: JumpingClock(), random: { 0.5 })
    return (remote, model)
  }

  @Test("a record that is too large is found among those of its request")
  func bisected() async throws {
    var habits = CouchModel.Habits()
    habits.maximumDocument = 2000
    let (remote, model) = try couch(habits)
    var projects = (0..<40).map { Project.sample("p\($0)") }
    projects[17].body = String(repeating: "x", count: 3000)
    let outcomes = try await remote.write(projects.map { .put($0, .absent) }).outcomes
    for (number, outcome) in outcomes.enumerated() {
      if number == 17 {
        guard case .refused(413, _) = outcome else {
          Issue.record("\(outcome)")
          continue
        }
      } else {
        #expect(outcome.digest != nil, "\(number): \(outcome)")
      }
    }
    #expect(model.log.count <= 14, "\(model.log)")
  }

  @Test("a record that the server forbids is set aside with its words")
  func forbidden() async throws {
    var habits = CouchModel.Habits()
    habits.forbidden = "poison"
    let (remote, _) = try couch(habits)
    let outcomes = try await remote.write([
      .put(.sample("a"), .absent), .put(.sample("b", title: "poison"), .absent),
    ]).outcomes
    #expect(outcomes[0].digest != nil)
    #expect(outcomes[1] == .refused(status: 403, message: "not that"))
  }

  @Test("a document with attachments, which a write would remove, is left alone")
  func attached() async throws {
    var habits = CouchModel.Habits()
    habits.attached = ["a"]
    let (remote, _) = try couch(habits)
    _ = try await remote.write(["a", "b"].map { .put(.sample($0), .absent) })
    let store = try LocalStore(inMemory: ())
    let engine = SyncEngine(store: store, remote: remote, options: .both)
    for _ in 0..<2 {
      let report = try await engine.synchronize()
      #expect(report.outcome == .partial && report.failed.map(\.id) == ["a"])
      #expect(report.failed[0].message.contains("attachments"))
    }
    #expect(try await store.count() == 1)
    #expect(try await !engine.synchronize().wroteAnything)
  }

  @Test("members that the server keeps for itself are set aside, and never sent")
  func ownMembers() async throws {
    let (remote, model) = try couch()
    var project = Project.sample("a")
    project.extra = ExtraMembers(trusted: "{\"_attachments\":{}}")
    guard case .refused(0, _) = try await remote.write(.put(project, .absent)) else {
      Issue.record("it was sent")
      return
    }
    #expect(!model.log.contains { $0.contains("_bulk_docs") })
  }

  @Test("nothing new is one request, and what was written here comes back as changes once")
  func cursors() async throws {
    let (remote, model) = try couch()
    #expect(try await remote.write(.put(.sample("a"), .absent)).digest != nil)
    let listed = try #require(try await remote.listing().listing.version)
    model.clearLog()
    #expect(try await remote.changed(since: listed)?.listing.isUnchanged == true)
    #expect(model.log.count == 1)
    let result = try await remote.write([.put(.sample("b"), .absent)])
    #expect(result.previous == listed)
    let after = try #require(result.version)
    let (changes, listing) = try #require(try await remote.changed(since: after))
    #expect(changes.keys.map(\.string) == ["b"] && !listing.isUnchanged)
  }

  @Test("a server that lost what was written after a version is listed anew")
  func lostWrites() async throws {
    let (remote, model) = try couch()
    #expect(try await remote.write(.put(.sample("a"), .absent)).digest != nil)
    _ = try await remote.listing()
    let after = try #require(try await remote.write([.put(.sample("b"), .absent)]).version)
    model.purge("b")
    #expect(try await remote.changed(since: after) == nil)
  }

  @Test("auto finds out a CouchDB by its answers, and a Kinto by its address")
  func recognised() async throws {
    let (remote, _) = try couch(dialect: .auto)
    #expect(try await remote.listing().listing.dialect == "couchdb")
    var options = RemoteOptions(url: "http://localhost/v1/buckets/b/collections/c/records")
    options.dialect = .auto
    let kinto = try makeRemote(options, transport: CouchModel().transport)
    #expect(kinto is DialectRemote<KintoDialect>)
    options.url = "http://localhost/v1/records"
    options.dialect = .kinto
    #expect(throws: SyncError.self) {
      try makeRemote(options, transport: CouchModel().transport)
    }
  }

  @Test("records in the remote's shape go round")
  func shapes() async throws {
    let (remote, _) = try couch { options in
      options.ids = .base32hex
      options.fields.title = "/content/title"
      options.fields.extra = .text("/content/more")
      options.fields.states = ["todo": "TODO"]
    }
    let project = Project.sample("_a/b")
    let digest = try #require(try await remote.write(.put(project, .absent)).digest)
    guard case .record(let record) = try await remote.fetch([project.id])[0] else {
      Issue.record("it is not there")
      return
    }
    #expect(record.project == project)
    #expect(try await remote.digests()[project.id]?.version == digest.version)
  }
}
