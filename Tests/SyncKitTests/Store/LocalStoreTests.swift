import SyncKit
import Testing

@testable import SyncKit

@Suite("The local store")
struct LocalStoreTests {
  let store: LocalStore

  init() throws { store = try LocalStore(inMemory: ()) }

  @Test("a project is added, edited, read and removed")
  func wholeLife() async throws {
    let added = try await store.add(ProjectDraft(title: "Roof", dueAt: "2026-11-30"))
    #expect(added.state == "todo" && added.createdAt == added.updatedAt)
    let edited = try await store.edit(
      added.id, ProjectEdit(body: "tiles", state: "doing", dueAt: .some(nil)))
    #expect(edited.title == "Roof" && edited.body == "tiles" && edited.dueAt == nil)
    #expect(edited.updatedAt > added.updatedAt)
    #expect(try await store.edit(added.id, ProjectEdit(title: "Roof")) == edited)
    #expect(try await store.project(added.id) == edited)
    try await store.remove(added.id)
    #expect(try await store.project(added.id) == nil)
    #expect(try await store.count() == 0)
  }

  @Test("what is not there is not found")
  func notFound() async throws {
    let id = try projectID("nothing")
    #expect(try await storeError { try await store.remove(id) }.code == .notFound)
    #expect(try await storeError { _ = try await store.edit(id, ProjectEdit()) }.code == .notFound)
    #expect(try await storeError { _ = try await store.restore(id) }.code == .notFound)
  }

  @Test("what cannot be kept is refused, and says why")
  func invalid() async throws {
    let due = try await storeError {
      _ = try await store.add(ProjectDraft(title: "x", dueAt: "tomorrow"))
    }
    #expect(due.code == .invalidInput && due.message.contains("tomorrow"))
    let extra = try ExtraMembers(json: #"{"title":"y"}"#)
    let taken = try await storeError {
      _ = try await store.add(ProjectDraft(title: "x", extra: extra))
    }
    #expect(taken.code == .invalidInput)
    let id = try projectID("a")
    _ = try await store.add(ProjectDraft(id: id, title: "x"))
    let twice = try await storeError { _ = try await store.add(ProjectDraft(id: id, title: "y")) }
    #expect(twice.code == .invalidInput && twice.message.contains("already"))
  }

  @Test("every character and digit comes back")
  func carried() async throws {
    let json = #"{"n":1.10,"big":12345678901234567890123,"u":"\u0000"}"#
    let project = Project(
      id: try projectID("e\u{301}"), title: "a\0b", body: "\u{B}", state: "someday", dueAt: "soon",
      createdAt: Timestamp(microseconds: -1), updatedAt: Timestamp(microseconds: 1 << 53),
      extra: try ExtraMembers(json: json))
    #expect(try await store.insert([project], replacing: false) == 1)
    let read = try #require(try await store.project(project.id))
    #expect(read == project && read.title.utf8.elementsEqual("a\0b".utf8))
    #expect(read.extra.json == json)
    try await store.execute("UPDATE projects SET title=NULL, body=NULL, state=NULL, extra=' { } '")
    let bare = try #require(try await store.project(project.id))
    #expect(bare.title == "" && bare.state == "todo" && bare.extra == .none)
  }

  @Test("projects are handed over in the order of their bytes, and by state")
  func streamed() async throws {
    for (id, state) in [("b", "todo"), ("é", "done"), ("a", "todo"), ("Z", "todo")] {
      _ = try await store.add(ProjectDraft(id: try projectID(id), title: id, state: state))
    }
    #expect(try await store.ids() == ["Z", "a", "b", "é"])
    #expect(try await store.ids(state: "todo") == ["Z", "a", "b"])
  }

  @Test("a cancelled task stops reading")
  func cancelled() async throws {
    for id in ["a", "b"] { _ = try await store.add(ProjectDraft(id: try projectID(id), title: "")) }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.ids()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.ids().count == 2)
  }

  @Test("an id is found by its beginning, if no other begins so")
  func resolved() async throws {
    for id in ["abcd-1", "abcd-2", "abce", "abcd-10"] {
      _ = try await store.add(ProjectDraft(id: try projectID(id), title: ""))
    }
    #expect(try await store.resolve("abce").string == "abce")
    #expect(try await store.resolve("abcd-2").string == "abcd-2")
    #expect(try await store.resolve("abcd-1").string == "abcd-1")
    let several = try await storeError { _ = try await store.resolve("abcd") }
    #expect(several.code == .invalidInput && several.message.contains("abcd-10"))
    #expect(try await storeError { _ = try await store.resolve("abc") }.code == .notFound)
    try await store.remove(try projectID("abce"))
    #expect(try await storeError { _ = try await store.resolve("abce") }.code == .notFound)
    #expect(try await store.resolve("abce", includingDeleted: true).string == "abce")
  }

  @Test("an import skips what is there, or replaces it as an edit")
  func imported() async throws {
    let id = try projectID("a")
    let first = Project(
      id: id, title: "x", createdAt: Timestamp(microseconds: 1),
      updatedAt: Timestamp(microseconds: 900))
    var second = first
    second.title = "y"
    #expect(try await store.insert([first], replacing: true) == 1)
    #expect(try await store.insert([second], replacing: false) == 0)
    #expect(try await store.insert([first], replacing: true) == 0)
    #expect(try await store.insert([second], replacing: true) == 1)
    let stamp = try #require(try await store.project(id)).updatedAt
    #expect(stamp > first.updatedAt)
    #expect(try await store.history(of: id).map(\.project) == [first])
  }

  @Test("an import that holds one bad record takes over none")
  func importedWhole() async throws {
    let good = Project(id: try projectID("a"), updatedAt: Timestamp(microseconds: 1))
    let bad = Project(
      id: try projectID("b"), updatedAt: Timestamp(microseconds: 1),
      extra: ExtraMembers(trusted: "[]"))
    let error = try await storeError { _ = try await store.insert([good, bad], replacing: false) }
    #expect(error.code == .invalidInput)
    #expect(try await store.count() == 0)
  }

  @Test("an old version is restored as an edit, a deleted one as a new project")
  func restored() async throws {
    let id = try projectID("a")
    let first = try await store.add(ProjectDraft(id: id, title: "x"))
    let second = try await store.edit(id, ProjectEdit(title: "y"))
    let oldest = try #require(try await store.history(of: id).last)
    #expect(oldest.project == first && oldest.reason == .edited && oldest.origin == .local)
    let third = try await store.restore(id, version: oldest.version)
    #expect(third.title == "x" && third.updatedAt > second.updatedAt)
    try await store.remove(id)
    let fourth = try await store.restore(id)
    #expect(fourth.title == "x" && fourth.updatedAt > third.updatedAt)
    #expect(fourth.createdAt == first.createdAt)
    #expect(try await store.history(of: id).map(\.project.title) == ["x", "y", "x"])
    #expect(try await store.history(of: id).map(\.reason) == [.deleted, .edited, .edited])
    #expect(try await storeError { _ = try await store.restore(id, version: 99) }.code == .notFound)
  }

  @Test("stamps ahead of the clock are counted")
  func futureStamps() async throws {
    try await store.execute("INSERT INTO projects(updated_at) VALUES(4070908800000000),(5)")
    #expect(try await store.status(remote: nil).futureStamps == 1)
  }

  @Test("a sound store passes the check")
  func checked() async throws {
    try await store.check()
  }
}

extension LocalStore {
  fileprivate func ids(state: String? = nil) throws -> [String] {
    var ids: [String] = []
    try forEachProject(state: state) { ids.append($0.id.string) }
    return ids
  }
}
