import TestSupport
import Testing

@testable import SyncKit

@Suite("The service", .timeLimit(.minutes(1)))
struct SyncServiceTests {
  @Test("runs at its start")
  func startsWithRun() async throws {
    let rig = try ServiceRig()
    try await rig.write("a")
    try await rig.run {
      try await rig.wait(for: .online, runs: 1)
      #expect(rig.remote.projects.count == 1)
      let snapshot = await rig.service.snapshot
      #expect(snapshot.lastReport?.remote.appended == 1)
      #expect(snapshot.lastSuccess == snapshot.lastRun)
      #expect(snapshot.reason == "")
    }
    #expect(await rig.service.snapshot.state == .stopped)
  }

  @Test("started offline, it recovers by itself once the link is up")
  func startsOffline() async throws {
    let rig = try ServiceRig(isUp: false)
    try await rig.write("a")
    rig.remote.setFault { _, _ in .offline }
    try await rig.run {
      try await rig.wait { $0.state == .offline && $0.isNetworkUp == false }
      #expect(await rig.service.snapshot.reason.contains("cannot connect"))
      rig.remote.setFault(nil)
      rig.network.set(isUp: true)
      try await rig.wait { $0.isNetworkUp == true }
      let waited = try await rig.pass { $0.state == .online }
      #expect(waited <= .seconds(1))
      #expect(rig.remote.projects.count == 1)
    }
  }

  @Test("an hour offline, then the link comes up: tried at once")
  func linkComesUp() async throws {
    let rig = try ServiceRig()
    try await rig.run {
      try await rig.wait(for: .online)
      rig.remote.setFault { _, _ in .offline }
      rig.network.set(isUp: false)
      try await rig.wait(for: .offline)
      try await rig.write("a")
      try await rig.pass { _ in rig.clock.now.offset >= .seconds(3600) }
      #expect(rig.remote.log.count < 40)
      rig.remote.setFault(nil)
      rig.network.set(isUp: true)
      try await rig.waitForAttempt(within: .milliseconds(200))
      try await rig.clock.advance(by: .milliseconds(200))
      try await rig.wait(for: .online)
      #expect(rig.remote.projects.count == 1)
      #expect(rig.remote.freshConnections > 0)
    }
  }

  @Test("a failed push, and no further change: the timer itself tries again")
  func triesAgain() async throws {
    let rig = try ServiceRig()
    try await rig.write("a")
    rig.remote.setFault { request, number in number < 8 && request != .list ? .offline : nil }
    try await rig.run {
      try await rig.wait(for: .backingOff)
      let waited = try await rig.pass { $0.state == .online }
      #expect(waited < .seconds(300))
      #expect(rig.remote.projects.count == 1)
    }
  }

  @Test("a name server that is away for ten minutes makes a handful of attempts and events")
  func handful() async throws {
    let rig = try ServiceRig()
    let events = EventLog(rig.service)
    try await rig.run {
      rig.remote.setFault { _, _ in .offline }
      try await rig.pass { _ in rig.clock.now.offset >= .seconds(600) }
      #expect(rig.remote.log.count <= 20)
      rig.remote.setFault(nil)
      try await rig.pass { $0.state == .online }
    }
    #expect(await events.all().count <= 100)
  }

  @Test("one local change makes one run, half a second later")
  func localChange() async throws {
    let rig = try ServiceRig()
    try await rig.run {
      try await rig.wait(for: .online, runs: 1)
      try await rig.write("a")
      try await rig.waitForAttempt(within: .milliseconds(500))
      try await rig.clock.advance(by: .milliseconds(500))
      try await rig.wait(for: .online, runs: 2)
      #expect(rig.remote.projects.count == 1)
      try await rig.clock.advance(by: .seconds(60))
      try await rig.quiet()
      #expect(await rig.service.snapshot.runs == 2)
    }
  }

  @Test("another process's change is noticed as well")
  func otherProcess() async throws {
    let rig = try ServiceRig()
    let other = try rig.files.connect()
    try await rig.run {
      try await rig.wait(for: .online, runs: 1)
      try other.execute("INSERT INTO projects(id, title) VALUES('a', 'theirs')")
      try await rig.waitForAttempt(within: .milliseconds(500))
      try await rig.pass { $0.runs == 2 && $0.state == .online }
      #expect(rig.remote.projects.count == 1)
    }
  }

  @Test("a burst of a thousand changes makes at most three runs")
  func burst() async throws {
    let rig = try ServiceRig()
    let other = try rig.files.connect()
    try other.execute("PRAGMA synchronous=OFF")
    try await rig.run {
      try await rig.wait(for: .online, runs: 1)
      for number in 0..<1000 {
        try other.execute("INSERT INTO projects(id) VALUES('p\(number)')")
        if number.isMultiple(of: 200) { try await rig.clock.advance(by: .milliseconds(100)) }
      }
      try await rig.pass { _ in rig.remote.projects.count == 1000 }
      try await rig.pass {
        $0.nextAttempt.map { $0 > VirtualTime(clock: rig.clock).now.later(5) } ?? false
      }
      #expect(await rig.service.snapshot.runs <= 4)
    }
  }

  @Test("changes during a run make exactly one run after it, which carries them")
  func duringRun() async throws {
    let rig = try ServiceRig()
    let gate = Gate()
    try await rig.write("a")
    rig.remote.setPause { request in if request.isWrite { await gate.pass() } }
    try await rig.run {
      try await rig.wait(for: .syncing)
      for number in 0..<5 { try await rig.write("b\(number)") }
      try await rig.waitUntilSeen()
      gate.open()
      try await rig.pass { $0.runs == 2 && $0.state == .online }
      #expect(rig.remote.projects.count == 6)
      try await rig.clock.advance(by: .seconds(60))
      try await rig.quiet()
      #expect(await rig.service.snapshot.runs == 2)
    }
  }

  @Test("a store that another run holds is tried again within seconds")
  func locked() async throws {
    let rig = try ServiceRig()
    try await rig.write("a")
    let lock = try await StoreLock.acquire(storePath: rig.store.path, wait: .zero)
    try await rig.run {
      try await rig.wait(for: .backingOff)
      #expect(await rig.service.snapshot.lastReport?.outcome == .locked)
      lock.release()
      let waited = try await rig.pass { $0.state == .online }
      #expect(waited <= .seconds(5))
    }
  }

  @Test("refused credentials wait for somebody to ask, or for the interval")
  func needsAuth() async throws {
    let rig = try ServiceRig()
    try await rig.write("a")
    rig.remote.setFault { _, _ in .unauthorized }
    try await rig.run {
      try await rig.wait(for: .needsAuth)
      let report = try await rig.service.synchronize()
      #expect(report.outcome == .unauthorized)
      rig.remote.setFault(nil)
      #expect(try await rig.service.synchronize().outcome == .inSync)
      #expect(rig.remote.projects.count == 1)
    }
  }
}

extension Timestamp {
  func later(_ seconds: Int64) -> Timestamp {
    Timestamp(microseconds: microseconds + seconds * 1_000_000)
  }
}

/// Everything that a service told.
final class EventLog: Sendable {
  private let events: AsyncStream<ServiceEvent>

  init(_ service: SyncService) { events = service.events }

  /// What came until the service stopped.
  func all() async -> [ServiceEvent] {
    var all: [ServiceEvent] = []
    for await event in events {
      all.append(event)
      if event == .state(.stopped) { break }
    }
    return all
  }
}
