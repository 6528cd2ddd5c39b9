import TestSupport
import Testing

@testable import SyncKit

@Suite("What the remote tells the service", .timeLimit(.minutes(1)))
struct ServiceListeningTests {
  private func rig() throws -> ServiceRig {
    let rig = try ServiceRig(.both)
    rig.remote.behaviour.tellsChanges = true
    // As a batch does: one request, whose versions before and after are known.
    rig.remote.behaviour.limits.writesPerRequest = 100
    return rig
  }

  private func project(_ id: String) throws -> Project {
    Project(
      id: try ProjectID(id), title: "theirs",
      createdAt: Timestamp(microseconds: 1_600_000_000_000_000),
      updatedAt: Timestamp(microseconds: 1_700_000_000_000_000))
  }

  @Test("another device's change is here within a second")
  func remoteChange() async throws {
    let rig = try rig()
    try await rig.run {
      try await rig.wait { $0.state == .online && $0.isListening }
      rig.remote.put(try project("a"))
      try await rig.waitForAttempt(within: .milliseconds(500))
      let waited = try await rig.pass { $0.runs == 2 && $0.state == .online }
      #expect(waited <= .milliseconds(500))
      #expect(try await rig.store.project(ProjectID("a"))?.title == "theirs")
    }
  }

  @Test("the service's own writes start nothing when the remote tells of them")
  func ownWrites() async throws {
    let rig = try rig()
    try await rig.run {
      try await rig.wait { $0.state == .online && rig.remote.followers == 1 }
      for id in ["a", "b", "c"] { try await rig.write(id) }
      try await rig.waitUntilSeen()
      try await rig.waitForAttempt(within: .milliseconds(500))
      try await rig.pass { $0.runs == 2 && $0.state == .online }
      #expect(rig.remote.projects.count == 3)
      // What is told last is known, whatever was told before.
      let version = rig.remote.collectionVersion
      try await rig.waitOnService { await $0.versions.latest == version }
      try await rig.clock.advance(by: .seconds(60))
      try await rig.quiet()
      #expect(await rig.service.snapshot.runs == 2)
    }
  }

  @Test("what was missed while the connection was lost is told at once when it is back")
  func missed() async throws {
    let rig = try rig()
    try await rig.run {
      try await rig.wait { $0.state == .online && rig.remote.followers == 1 }
      rig.remote.dropFollowers()
      try await rig.wait { !$0.isListening }
      rig.remote.put(try project("a"))
      let waited = try await rig.pass { $0.isListening }
      #expect(waited <= .seconds(4))
      try await rig.waitForAttempt(within: .milliseconds(500))
      try await rig.pass { $0.runs == 2 && $0.state == .online }
      #expect(try await rig.store.project(ProjectID("a")) != nil)
    }
  }

  @Test(
    "a remote that cannot be followed again is asked whether it is there, and its trouble is told")
  func deaf() {
    var driven = Situation.online.make()
    driven.forget()
    #expect(driven.send(.listenerEnded, after: .seconds(100)) == [])
    #expect(driven.passToDeadline() == [.listen])
    #expect(driven.send(.listenerEnded) == [.probe, .changed(.probing)])
    driven.send(.probed(.failed(.offline)))
    #expect(driven.state == .backingOff)
    driven.passToDeadline()
    driven.finish()
    #expect(driven.state == .online && driven.count(.listen) == 2)
  }

  @Test("paused, nobody listens")
  func paused() async throws {
    let rig = try rig()
    try await rig.run {
      try await rig.wait { $0.state == .online && rig.remote.followers == 1 }
      await rig.service.pause()
      while rig.remote.followers > 0 { await Task.yield() }
      await rig.service.resume()
      try await rig.wait { $0.state == .online && rig.remote.followers == 1 }
    }
  }
}
