import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// What every `RemoteStore` promises, whatever it speaks and whoever answers.
@Suite("The contract of a remote")
struct RemoteContractTests {
  @Test("an empty listing is empty", arguments: RemoteUnderTest.all)
  func empty(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    #expect(try await instance.remote.entries() == [])
    await instance.stop()
  }

  @Test("every record is listed once", arguments: RemoteUnderTest.all)
  func everyRecord(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let ids = (0..<300).map { "p\($0)" }
    for id in ids { try await instance.put(.sample(id)) }
    let entries = try await instance.remote.entries()
    #expect(entries.count == ids.count)
    #expect(Set(try await instance.remote.digests().keys.map(\.string)) == Set(ids))
    await instance.stop()
  }

  @Test(
    "a write is acknowledged with the version that the listing names",
    arguments: RemoteUnderTest.all)
  func versions(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let remote = instance.remote
    for (number, id) in ["a", "b", "c"].enumerated() {
      let outcome = try await remote.write(
        .put(.sample(id, second: Int64(number)), .absent))
      let listed = try await remote.digests()[ProjectID(trusted: id)]
      #expect(outcome.digest?.version == listed?.version, "\(outcome)")
      // Not every listing tells stamps.
      if let stamp = listed?.updatedAt { #expect(outcome.digest?.updatedAt == stamp) }
      #expect(outcome.digest != nil)
    }
    let fetched = try await remote.fetch([ProjectID(trusted: "b")])
    guard case .record(let record) = fetched[0] else {
      Issue.record("\(fetched)")
      return
    }
    #expect(record.version == (try await remote.digests())[record.project.id]?.version)
    await instance.stop()
  }

  @Test("what is stored is what was sent", arguments: RemoteUnderTest.all)
  func contents(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let project = Project.sample("a", title: "π \"quoted\" \\ \n")
    #expect(try await instance.remote.write(.put(project, .absent)).digest != nil)
    let stored = try await instance.projects()[project.id]
    #expect(stored?.title == project.title)
    #expect(stored?.hasContents(of: project) == true)
    let outcomes = try await instance.remote.fetch([project.id])
    guard case .record(let record) = outcomes[0] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(record.project.hasContents(of: project))
    await instance.stop()
  }

  @Test("an update needs the current version", arguments: RemoteUnderTest.all)
  func updates(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let remote = instance.remote
    try await instance.put(.sample("a"))
    let seen = try #require(try await remote.digests()[ProjectID(trusted: "a")])
    let first = try await remote.write(
      .put(.sample("a", title: "two", second: 10), .matches(seen)))
    let second = try #require(first.digest)
    let late = try await remote.write(
      .put(.sample("a", title: "late", second: 20), .matches(seen)))
    #expect(late == .preconditionFailed)
    let third = try await remote.write(
      .put(.sample("a", title: "three", second: 30), .matches(second)))
    #expect(third.digest != nil)
    #expect(try await instance.projects()[second.id]?.title == "three")
    await instance.stop()
  }

  @Test("another device's edit is never written over", arguments: RemoteUnderTest.all)
  func foreignEdit(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let remote = instance.remote
    try await instance.put(.sample("a"))
    let seen = try #require(try await remote.digests()[ProjectID(trusted: "a")])
    try await instance.put(.sample("a", title: "theirs", second: 40))
    let outcome = try await remote.write(.put(.sample("a", second: 50), .matches(seen)))
    #expect(outcome == .preconditionFailed)
    #expect(try await remote.write(.delete(seen.id, .matches(seen))) == .preconditionFailed)
    #expect(try await instance.projects()[seen.id]?.title == "theirs")
    await instance.stop()
  }

  @Test(
    "a create does not replace", arguments: RemoteUnderTest.all, [WriteCondition.absent, .new])
  func creates(_ subject: RemoteUnderTest, _ condition: WriteCondition) async throws {
    let instance = try await subject.make()
    try await instance.put(.sample("b", title: "theirs"))
    #expect(try await instance.remote.write(.put(.sample("a"), condition)).digest != nil)
    #expect(
      try await instance.remote.write(.put(.sample("b"), condition)) == .preconditionFailed)
    #expect(try await instance.projects()[ProjectID(trusted: "b")]?.title == "theirs")
    await instance.stop()
  }

  @Test("a delete deletes, and is content when there is nothing", arguments: RemoteUnderTest.all)
  func deletes(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    try await instance.put(.sample("a"))
    let seen = try #require(try await instance.remote.digests()[ProjectID(trusted: "a")])
    #expect(try await instance.remote.write(.delete(seen.id, .matches(seen))) == .deleted)
    #expect(try await instance.remote.write(.delete(seen.id, .matches(seen))) == .deleted)
    #expect(try await instance.projects().isEmpty)
    await instance.stop()
  }

  @Test(
    "a record that was deleted in this very version is told from a new one",
    arguments: RemoteUnderTest.rememberingDeletions)
  func deletedSince(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let remote = instance.remote
    // What the remote offers, the listing says.
    #expect(try await remote.entries().isEmpty)
    let stored = try #require(try await remote.write(.put(.sample("a"), .new)).digest)
    #expect(try await remote.write(.delete(stored.id, .matches(stored))) == .deleted)
    for _ in 0..<2 {
      guard case .deletedSince(let version) = try await remote.write(.put(.sample("a"), .new))
      else {
        Issue.record("written, or refused in another way")
        break
      }
      #expect(version != stored.version)
    }
    #expect(try await instance.projects().isEmpty)
    let other = try await remote.write(.put(.sample("a", title: "another", second: 1), .new))
    let digest = try #require(other.digest)
    #expect(try await remote.write(.delete(digest.id, .matches(digest))) == .deleted)
    #expect(try await remote.write(.put(.sample("a"), .new)).digest != nil)
    await instance.stop()
  }

  @Test("a fetch answers for each id, in order", arguments: RemoteUnderTest.all)
  func fetches(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    for number in 0..<20 where number % 3 != 0 { try await instance.put(.sample("p\(number)")) }
    let ids = (0..<20).map { ProjectID(trusted: "p\($0)") }
    let outcomes = try await instance.remote.fetch(ids)
    #expect(outcomes.count == ids.count)
    for (number, outcome) in outcomes.enumerated() {
      if number % 3 == 0 {
        #expect(outcome == .absent)
      } else if case .record(let record) = outcome {
        #expect(record.project.id == ids[number])
      } else {
        Issue.record("\(outcome)")
      }
    }
    await instance.stop()
  }

  @Test("every id goes round", arguments: RemoteUnderTest.all)
  func ids(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let all = Self.ids.map { ProjectID(trusted: $0) }
    let ids = all.filter { instance.fault($0) == nil }
    for id in all {
      let outcome = try await instance.remote.write(.put(.sample(id.string), .absent))
      if ids.contains(id) {
        #expect(outcome.digest != nil, "\(id): \(outcome)")
      } else if case .refused(_, let message) = outcome {
        #expect(message == instance.fault(id))
      } else {
        Issue.record("\(id) cannot be held, and was not set aside: \(outcome)")
      }
    }
    #expect(Set(try await instance.projects().keys) == Set(ids))
    let digests = try await instance.remote.digests()
    #expect(Set(digests.keys) == Set(ids))
    for (id, outcome) in zip(ids, try await instance.remote.fetch(ids)) {
      guard case .record(let record) = outcome else {
        Issue.record("\(id): \(outcome)")
        continue
      }
      #expect(record.project.id == id)
    }
    for id in ids {
      let digest = try #require(digests[id])
      #expect(try await instance.remote.write(.delete(id, .matches(digest))) == .deleted)
    }
    #expect(try await instance.projects().isEmpty)
    await instance.stop()
  }

  static let ids = [
    "a/b", "..", ".", "%2e%2e", "a?b", "a#b", "a;b", "a%2Fb", "a%252Fb", "a b", " a", "a+b", "a@b",
    "a:b", "a&b=c", "\u{E9}", "e\u{301}", "ABC", "abc", "프로젝트", "🗓", "a\"b\\c", "_design/x",
    String(repeating: "x", count: 255),
  ]

  @Test(
    "the changes since a version are what makes the listing of then that of now",
    arguments: RemoteUnderTest.tellingChanges)
  func changes(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let remote = instance.remote
    for id in ["a", "b", "c"] { try await instance.put(.sample(id)) }
    let listed = try await remote.listing().listing.version
    // A server that somebody names may be one that tells no changes.
    guard let version = listed else {
      #expect(RemoteUnderTest.external != nil)
      return await instance.stop()
    }
    #expect(try await remote.changed(since: version)?.listing.isUnchanged == true)
    var digests = try await remote.digests()
    let b = try #require(digests[ProjectID(trusted: "b")])
    #expect(try await remote.write(.delete(b.id, .matches(b))) == .deleted)
    for number in 0..<3 { try await instance.put(.sample("a", title: "\(number)", second: 9)) }
    for number in 0..<300 { try await instance.put(.sample("new\(number)")) }
    let (changes, listing) = try #require(try await remote.changed(since: version))
    #expect(changes.count == 302 && listing.isPartial && !listing.isUnchanged)
    for (id, change) in changes {
      if case .stored(let digest) = change { digests[id] = digest } else { digests[id] = nil }
    }
    #expect(try await remote.digests() == digests)
    let now = try await remote.listing().listing
    #expect(listing.remoteID == now.remoteID)
    let after = try #require(listing.version)
    #expect(try await remote.changed(since: after)?.listing.isUnchanged == true)
    #expect(try await remote.changed(since: CollectionVersion("\"another\"")) == nil)
    await instance.stop()
  }

  @Test(
    "an error of whoever receives ends the listing and is thrown on",
    arguments: RemoteUnderTest.all)
  func receiverFails(_ subject: RemoteUnderTest) async throws {
    struct Full: Error {}
    let instance = try await subject.make()
    try await instance.put(.sample("a"))
    await #expect(throws: Full.self) {
      _ = try await instance.remote.list(since: nil) { _ in throw Full() }
    }
    await instance.stop()
  }

  @Test("cancelling throws CancellationError", arguments: RemoteUnderTest.all)
  func cancelling(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    try await instance.put(.sample("a"))
    let remote = instance.remote
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await remote.entries()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let write = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await remote.write(.put(.sample("b"), .absent))
    }
    await #expect(throws: CancellationError.self) { try await write.value }
    await instance.stop()
  }
}
