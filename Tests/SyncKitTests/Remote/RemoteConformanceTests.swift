import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// What the contract comes to with many records, in trouble, and where a server has its own ideas.
@Suite("A remote in bulk and in trouble")
struct RemoteConformanceTests {
  @Test("in a batch each write stands alone", arguments: RemoteUnderTest.all)
  func batches(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let remote = instance.remote
    for id in ["stale", "there", "gone", "kept"] { try await instance.put(.sample(id)) }
    let digests = try await remote.digests()
    let seen = { (id: String) in try #require(digests[ProjectID(trusted: id)]) }
    try await instance.put(.sample("stale", title: "theirs", second: 5))
    let writes: [RemoteWrite] = [
      .put(.sample("new1"), .absent), .put(.sample("there"), .absent),
      .put(.sample("stale", title: "ours", second: 6), .matches(try seen("stale"))),
      .delete(ProjectID(trusted: "gone"), .matches(try seen("gone"))),
      .put(.sample("kept", title: "ours", second: 7), .matches(try seen("kept"))),
      .delete(ProjectID(trusted: "never"), .matches(try seen("gone"))),
      .put(.sample("new2"), .absent),
    ]
    var outcomes: [WriteOutcome] = []
    for chunk in writes.chunks(of: await remote.limits.writesPerRequest) {
      outcomes += try await remote.write(chunk).outcomes
    }
    #expect(outcomes[0].digest != nil && outcomes[6].digest != nil, "\(outcomes)")
    #expect(outcomes[1] == .preconditionFailed && outcomes[2] == .preconditionFailed)
    #expect(outcomes[3] == .deleted && outcomes[5] == .deleted)
    let listed = try await remote.digests()
    for outcome in [outcomes[0], outcomes[4], outcomes[6]] {
      let digest = try #require(outcome.digest)
      #expect(listed[digest.id]?.version == digest.version)
    }
    let titles = try await instance.projects().mapValues(\.title)
    #expect(Set(titles.keys.map(\.string)) == ["new1", "new2", "there", "stale", "kept"])
    #expect(titles[ProjectID(trusted: "stale")] == "theirs")
    #expect(titles[ProjectID(trusted: "kept")] == "ours")
    await instance.stop()
  }

  @Test("stamps of every age come back, or as the server cuts them", arguments: RemoteUnderTest.all)
  func stamps(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let stamps: [Int64] = [
      -86_400_000_001, 0, 2_147_483_648_000_000, 4_294_967_296_000_001, 9_007_199_254_740_993,
      1_800_000_000_123_456,
    ]
    for (number, stamp) in stamps.enumerated() {
      var project = Project.sample("s\(number)")
      project.updatedAt = Timestamp(microseconds: stamp)
      project.createdAt = Timestamp(microseconds: stamp)
      project.dueAt = "2026-12-01T10:00:00+05:45"
      let outcome = try await instance.remote.write(.put(project, .absent))
      let digest = try #require(outcome.digest, "\(outcome)")
      guard case .record(let record) = try await instance.remote.fetch([project.id])[0] else {
        Issue.record("\(project.id) is not there")
        continue
      }
      #expect(record.project.hasContents(of: project), "\(record.project)")
      #expect(record.version == digest.version)
      #expect(record.project.updatedAt == digest.updatedAt)
    }
    await instance.stop()
  }

  @Test("contents of every kind come back", arguments: RemoteUnderTest.all)
  func kinds(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    var projects = ["todo", "doing", "done", "blocked", ""].enumerated().map { number, state in
      var project = Project.sample("k\(number)")
      project.state = state
      return project
    }
    projects[0].extra = ExtraMembers(
      trusted: "{\"a\":{\"b\":[1,[2,[]],{\"c\":null}]},\"n\":12345678901234567890,\"t\":true}")
    projects[1].body = String(repeating: "long and plain, ", count: 8000)
    projects[2].title = "\u{0B}\u{1F}\u{7F} 🗓 e\u{301}"
    projects[3].extra = .none
    for project in projects {
      let outcome = try await instance.remote.write(.put(project, .absent))
      if case .refused = outcome { continue }
      guard case .record(let record) = try await instance.remote.fetch([project.id])[0] else {
        Issue.record("\(project.id): \(outcome)")
        continue
      }
      #expect(record.project.hasContents(of: project), "\(record.project)")
    }
    await instance.stop()
  }

  @Test("thousands go there and back", arguments: RemoteUnderTest.all)
  func thousands(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let remote = instance.remote
    let isReal = subject.name.contains("a real") || RemoteUnderTest.external != nil
    let count = isReal ? 2000 : 1200
    let projects = (0..<count).map { Project.sample("p\($0)", title: "number \($0)") }
    let versions = Mutex([ProjectID: Version]())
    let limits = await remote.limits
    for chunk in projects.chunks(of: limits.writesPerRequest) {
      for outcome in try await remote.write(chunk.map { .put($0, .absent) }).outcomes {
        let digest = try #require(outcome.digest, "\(outcome)")
        versions.withLock { $0[digest.id] = digest.version }
      }
    }
    let largest = Mutex(0)
    let listed = Mutex([ProjectID: Int]())
    _ = try await remote.list(since: nil) { entries in
      largest.withLock { $0 = max($0, entries.count) }
      for entry in entries {
        let digest = try #require(entry.digest)
        listed.withLock { $0[digest.id, default: 0] += 1 }
        #expect(digest.version == versions.withLock { $0[digest.id] })
      }
    }
    #expect(listed.withLock { $0.count } == count)
    #expect(listed.withLock { $0.values.allSatisfy { $0 == 1 } })
    var found = 0
    for chunk in projects.map(\.id).chunks(of: limits.fetchesPerRequest) {
      for (id, outcome) in zip(chunk, try await remote.fetch(chunk)) {
        guard case .record(let record) = outcome, record.project.id == id else {
          Issue.record("\(id): \(outcome)")
          return
        }
        found += 1
      }
    }
    #expect(found == count)
    await instance.stop()
  }

  @Test("what fails in the middle is done once all the same", arguments: RemoteUnderTest.all)
  func interrupted(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    defer { instance.interruption?.setFault(nil) }
    guard let interruption = instance.interruption else { return await instance.stop() }
    let faults: [InterruptedTransport.Fault] = [
      .answerLost, .unreachable, .status(503), .cut, .status(429),
    ]
    interruption.setFault { number, _ in
      number % 2 == 0 ? faults[number / 2 % faults.count] : nil
    }
    let projects = (0..<60).map { Project.sample("p\($0)") }
    var seen: [ProjectID: RemoteDigest] = [:]
    for chunk in projects.chunks(of: min(12, await instance.remote.limits.writesPerRequest)) {
      for outcome in try await instance.remote.write(chunk.map { .put($0, .absent) }).outcomes {
        let digest = try #require(outcome.digest, "\(outcome)")
        seen[digest.id] = digest
      }
    }
    #expect(try await instance.projects().count == projects.count)
    #expect(try await instance.remote.digests().count == projects.count)
    for project in projects.prefix(10) {
      let digest = try #require(seen[project.id])
      let outcome = try await instance.remote.write(.delete(project.id, .matches(digest)))
      #expect(outcome == .deleted)
    }
    #expect(try await instance.projects().count == projects.count - 10)
    await instance.stop()
  }

  @Test("a listing that breaks off is no listing", arguments: RemoteUnderTest.all)
  func brokenListing(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    guard let interruption = instance.interruption else { return await instance.stop() }
    for number in 0..<5 { try await instance.put(.sample("p\(number)")) }
    interruption.setFault { _, _ in .cut }
    await #expect(throws: SyncError.self) { _ = try await instance.remote.entries() }
    interruption.setFault { _, _ in .status(404) }
    await #expect(throws: SyncError.self) { _ = try await instance.remote.entries() }
    interruption.setFault(nil)
    #expect(try await instance.remote.entries().count == 5)
    await instance.stop()
  }

  @Test("whoever is refused is told so", arguments: RemoteUnderTest.all)
  func strangers(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    guard let stranger = instance.stranger else { return await instance.stop() }
    try await instance.put(.sample("a"))
    let isUnauthorized = { (error: any Error) in (error as? SyncError)?.code == .unauthorized }
    await #expect { _ = try await stranger.entries() } throws: { isUnauthorized($0) }
    await #expect { try await stranger.probe() } throws: { isUnauthorized($0) }
    await #expect {
      _ = try await stranger.write(.put(.sample("b"), .absent))
    } throws: {
      isUnauthorized($0)
    }
    #expect(try await instance.projects().count == 1)
    await instance.stop()
  }
}
