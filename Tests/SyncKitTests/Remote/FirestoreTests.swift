import TestSupport
import Testing

@testable import SyncKit

/// What is Firestore's own: typed values, writes one by one or all together, other people's fields.
@Suite("Firestore")
struct FirestoreTests {
  private func collection(
    _ habits: FirestoreModel.Habits = FirestoreModel.Habits(),
    _ change: (inout RemoteOptions) -> Void = { _ in }
  ) throws -> (remote: any RemoteStore, model: FirestoreModel) {
    let model = FirestoreModel(habits)
    var options = RemoteOptions(url: FirestoreModel.url)
    change(&options)
    let remote = try makeRemote(
      options, transport: model.transport, clock: JumpingClock(), random: { 0.5 })
    return (remote, model)
  }

  @Test("the documents of an app go round with the ready mapping, and its other fields stay")
  func app() async throws {
    let (remote, model) = try collection { options in
      options.fields.dueAt = "date"
      options.fields.states = ["todo": "TODO", "doing": "DOING", "done": "DONE"]
    }
    #expect(remote is DialectRemote<FirestoreDialect>)
    let stamp = "{\"timestampValue\":\"2026-12-01T10:00:00.123456Z\"}"
    let date = "{\"timestampValue\":\"2026-12-24T18:00:00Z\"}"
    model.put(
      "a",
      [
        "id": "{\"stringValue\":\"a\"}", "state": "{\"stringValue\":\"TODO\"}",
        "title": "{\"stringValue\":\"Plan\"}", "body": "{\"stringValue\":\"\"}", "date": date,
        "updatedAt": stamp, "color": "{\"integerValue\":\"7\"}",
      ])
    let a = ProjectID(trusted: "a")
    let digest = try #require(try await remote.digests()[a])
    guard case .record(let record) = try await remote.fetch([a])[0] else {
      Issue.record("it is not there")
      return
    }
    var project = record.project
    #expect(project.state == "todo" && project.dueAt == "2026-12-24T18:00:00Z")
    #expect(project.updatedAt == Timestamp(rfc3339: "2026-12-01T10:00:00.123456Z"))
    #expect(project.extra == .none)
    project.state = "done"
    project.updatedAt = Timestamp(microseconds: project.updatedAt.microseconds + 1)
    #expect(try await remote.write(.put(project, .matches(digest))).digest != nil)
    let fields = try #require(model.fields("a"))
    #expect(fields["state"] == "{\"stringValue\":\"DONE\"}")
    #expect(fields["date"] == date)
    #expect(fields["color"] == "{\"integerValue\":\"7\"}")
    #expect(fields["extra"] == nil && fields["createdAt"] == nil)
  }

  @Test("fields of every type that are not ours stay as they are")
  func foreignFields() async throws {
    let (remote, model) = try collection()
    let foreign = [
      "s": #"{"stringValue":"x"}"#, "i": #"{"integerValue":"9007199254740993"}"#,
      "d": #"{"doubleValue":1.5}"#, "b": #"{"booleanValue":true}"#, "n": #"{"nullValue":null}"#,
      "t": #"{"timestampValue":"2026-12-01T10:00:00.123456789Z"}"#,
      "a": #"{"arrayValue":{"values":[{"integerValue":"1"}]}}"#,
      "m": #"{"mapValue":{"fields":{"k":{"bytesValue":"aGk="}}}}"#,
      "y": #"{"bytesValue":"aGVsbG8="}"#, "g": #"{"geoPointValue":{"latitude":1,"longitude":2}}"#,
      "r": #"{"referenceValue":"projects/p/databases/(default)/documents/todos/b"}"#,
    ]
    let stamp = #"{"timestampValue":"2026-12-01T10:00:00Z"}"#
    model.put("a", foreign.merging(["updatedAt": stamp, "date": stamp]) { first, _ in first })
    let a = ProjectID(trusted: "a")
    guard case .record(var record) = try await remote.fetch([a])[0] else {
      Issue.record("it cannot be read")
      return
    }
    record.project.title = "Mine"
    record.project.dueAt = nil
    #expect(try await remote.write(.put(record.project, .matches(record.digest))).digest != nil)
    let fields = try #require(model.fields("a"))
    for (name, value) in foreign { #expect(fields[name] == value, "\(name)") }
    #expect(fields["title"] == #"{"stringValue":"Mine"}"#)
    #expect(fields["dueAt"] == #"{"nullValue":null}"#)
  }

  @Test("a deleted document is kept with the fields that are not ours")
  func deletedWhole() async throws {
    let (remote, model) = try collection()
    for id in ["a", "b"] {
      model.put(
        id,
        [
          "updatedAt": #"{"timestampValue":"2026-12-01T10:00:00Z"}"#,
          "color": #"{"integerValue":"7"}"#,
        ])
    }
    let store = try LocalStore(inMemory: ())
    let engine = SyncEngine(store: store, remote: remote, options: .both)
    #expect(try await engine.synchronize().local.appended == 2)
    try await store.remove(ProjectID(trusted: "a"))
    #expect(try await engine.synchronize().remote.deleted == 1)
    let kept = try await store.history(of: ProjectID(trusted: "a")).map(\.project.extra.json)
    #expect(kept.contains(#"{"syncd:remote":{"color":{"integerValue":"7"}}}"#), "\(kept)")
    #expect(try await !engine.synchronize().wroteAnything)
  }

  @Test(
    "a field of ours that has another type sets its document aside, and is not touched",
    arguments: [
      ("title", #"{"timestampValue":"2026-12-01T10:00:00Z"}"#),
      ("title", #"{"integerValue":"7"}"#), ("extra", #"{"mapValue":{"fields":{}}}"#),
      ("dueAt", #"{"stringValue":"2026-12-01T10:00:00Z"}"#),
      ("createdAt", #"{"stringValue":"2026-12-01T10:00:00Z"}"#),
      ("updatedAt", #"{"stringValue":"2026-12-01T10:00:00Z"}"#),
      ("updatedAt", #"{"nullValue":null}"#), ("id", #"{"stringValue":"another"}"#),
    ])
  func otherTypes(_ name: String, _ value: String) async throws {
    let (remote, model) = try collection()
    let stamp = #"{"timestampValue":"2026-12-01T10:00:00Z"}"#
    let strange = ["updatedAt": stamp].merging([name: value]) { _, second in second }
    model.put("strange", strange)
    model.put("plain", ["updatedAt": stamp])
    guard case .unreadable(let fault) = try await remote.fetch([ProjectID(trusted: "strange")])[0]
    else {
      Issue.record("it was taken over")
      return
    }
    #expect(fault.id == "strange" && fault.reason.contains(name), "\(fault)")
    let store = try LocalStore(inMemory: ())
    var options = SyncOptions()
    options.direction = .both
    for _ in 0..<2 {
      _ = try await SyncEngine(store: store, remote: remote, options: options).synchronize()
    }
    #expect(try await store.count() == 1)
    #expect(model.fields("strange") == strange)
    #expect(!model.log.contains { $0 == "commit" || $0 == "batchWrite" }, "\(model.log)")
  }

  @Test("what breaks off is no listing, and no record that it leaves out counts as gone")
  func broken() async throws {
    var habits = FirestoreModel.Habits()
    habits.breaksAfter = 3
    let (remote, model) = try collection(habits)
    for number in 0..<5 {
      model.put("p\(number)", ["updatedAt": #"{"timestampValue":"2026-12-01T10:00:00Z"}"#])
    }
    await #expect(throws: SyncError.self) { _ = try await remote.entries() }
    let ids = (0..<5).map { ProjectID(trusted: "p\($0)") }
    await #expect(throws: SyncError.self) { _ = try await remote.fetch(ids) }
    #expect(try await remote.fetch(Array(ids.prefix(3))).count == 3)
  }

  @Test("a rule that forbids one document sets that one aside", arguments: [true, false])
  func rules(_ hasBatchWrite: Bool) async throws {
    var habits = FirestoreModel.Habits()
    (habits.hasBatchWrite, habits.forbidden) = (hasBatchWrite, "poison")
    let (remote, _) = try collection(habits)
    var projects = (0..<20).map { Project.sample("p\($0)") }
    projects[7].title = "poison"
    let outcomes = try await remote.write(projects.map { .put($0, .new) }).outcomes
    for (number, outcome) in outcomes.enumerated() {
      switch (number, outcome) {
      case (7, .refused(403, let message)): #expect(message.contains("permissions"))
      default: #expect(number != 7 && outcome.digest != nil, "\(number): \(outcome)")
      }
    }
  }

  @Test("a record that was lost is written where there is none, and never over another")
  func lost() async throws {
    let (remote, _) = try collection()
    #expect(try await remote.write(.put(.sample("a"), .lost)).digest != nil)
    #expect(try await remote.write(.put(.sample("a", second: 9), .lost)) == .preconditionFailed)
  }

  @Test("a moment that Firestore cannot hold sets its record aside")
  func moments() async throws {
    let (remote, model) = try collection()
    var project = Project.sample("a")
    project.createdAt = Timestamp(microseconds: 253_402_300_800_000_000)
    guard case .refused(0, _) = try await remote.write(.put(project, .absent)) else {
      Issue.record("it was sent")
      return
    }
    #expect(model.fields("a") == nil)
  }

  @Test("names of fields that need quotes, and stamps as integers, go round")
  func names() async throws {
    let (remote, model) = try collection { options in
      options.fields.title = "the title"
      options.fields.createdAtForm = .milliseconds
    }
    var project = Project.sample("a")
    project.createdAt = Timestamp(microseconds: 1_800_000_000_123_000)
    let digest = try #require(try await remote.write(.put(project, .absent)).digest)
    #expect(model.fields("a")?["createdAt"] == #"{"integerValue":"1800000000123"}"#)
    #expect(model.fields("a")?["the title"] == #"{"stringValue":"A title"}"#)
    guard case .record(let record) = try await remote.fetch([project.id])[0] else {
      Issue.record("it is not there")
      return
    }
    #expect(record.project == project && record.version == digest.version)
  }

  @Test("two sides end equal, and a second run writes nothing", arguments: [true, false])
  func rounds(_ hasBatchWrite: Bool) async throws {
    var habits = FirestoreModel.Habits()
    (habits.hasBatchWrite, habits.marksEnd) = (hasBatchWrite, !hasBatchWrite)
    let (remote, model) = try collection(habits)
    let store = try LocalStore(inMemory: ())
    for number in 0..<1200 {
      try await store.sql("INSERT INTO projects(id, title) VALUES(?, 't')", [.text("p\(number)")])
      model.put("q\(number)", ["updatedAt": #"{"timestampValue":"2026-12-01T10:00:00Z"}"#])
    }
    var options = SyncOptions()
    options.direction = .both
    let engine = SyncEngine(store: store, remote: remote, options: options)
    let first = try await engine.synchronize()
    #expect(first.remote.appended == 1200 && first.local.appended == 1200, "\(first.message)")
    let second = try await engine.synchronize()
    #expect(second.unchanged == 2400 && second.remote.total == 0 && second.local.total == 0)
  }

  @Test(
    "where all writes of a request go together, the poisoned one is found",
    arguments: [true, false])
  func poison(_ hasBatchWrite: Bool) async throws {
    var habits = FirestoreModel.Habits()
    (habits.hasBatchWrite, habits.maximumDocument) = (hasBatchWrite, 2000)
    let (remote, model) = try collection(habits)
    model.put("p30", ["updatedAt": "{\"timestampValue\":\"2026-12-01T10:00:00Z\"}"])
    var projects = (0..<40).map { Project.sample("p\($0)") }
    projects[17].body = String(repeating: "x", count: 3000)
    let outcomes = try await remote.write(projects.map { .put($0, .absent) }).outcomes
    for (number, outcome) in outcomes.enumerated() {
      switch (number, outcome) {
      case (17, .refused(400, _)), (30, .preconditionFailed): break
      default: #expect(number != 17 && outcome.digest != nil, "\(number): \(outcome)")
      }
    }
    #expect(outcomes[30] == .preconditionFailed)
    #expect(!hasBatchWrite || model.log.filter { $0 == "batchWrite" }.count == 2, "\(model.log)")
  }

  @Test("10,000 documents are listed in eleven requests")
  func idle() async throws {
    let (remote, model) = try collection()
    for number in 0..<10_000 {
      model.put("p\(number)", ["updatedAt": "{\"timestampValue\":\"2026-12-01T10:00:00Z\"}"])
    }
    model.clearLog()
    #expect(try await remote.digests().count == 10_000)
    #expect(model.log.count == 11)
  }

  @Test("an empty collection is empty")
  func empty() async throws {
    let (remote, _) = try collection()
    #expect(try await remote.entries().isEmpty)
  }
}
