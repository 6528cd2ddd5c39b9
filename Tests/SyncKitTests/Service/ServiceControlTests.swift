import TestSupport
import Testing

@testable import SyncKit

@Suite("The service under control", .timeLimit(.minutes(1)))
struct ServiceControlTests {
  @Test("paused, nothing runs but what is asked for; resumed, it catches up")
  func pause() async throws {
    let rig = try ServiceRig()
    try await rig.run {
      try await rig.wait(for: .online, runs: 1)
      await rig.service.pause()
      try await rig.write("a")
      try await rig.wait { $0.state == .paused && $0.nextAttempt == nil }
      try await rig.clock.advance(by: .seconds(86_400), whenSleeping: 0)
      #expect(await rig.service.snapshot.runs == 1)
      #expect(try await rig.service.synchronize().remote.appended == 1)
      #expect(await rig.service.snapshot.state == .paused)
      try await rig.write("b")
      await rig.service.resume()
      try await rig.wait(for: .online, runs: 3)
      #expect(rig.remote.projects.count == 2)
    }
  }

  @Test("a pause of two hours ends by itself")
  func pauseFor() async throws {
    let rig = try ServiceRig()
    try await rig.run {
      try await rig.wait(for: .online, runs: 1)
      await rig.service.pause(for: .seconds(7200))
      let end = await rig.service.snapshot.pausedUntil
      #expect(end == VirtualTime(clock: rig.clock).now.later(7200))
      try await rig.write("a")
      let waited = try await rig.pass { $0.state == .online }
      #expect(waited == .seconds(7200))
      #expect(rig.remote.projects.count == 1)
    }
  }

  @Test("whoever waits is answered by a run that began after the question")
  func synchronize() async throws {
    let rig = try ServiceRig()
    let gate = Gate()
    try await rig.write("a")
    rig.remote.setPause { request in if request.isWrite { await gate.pass() } }
    try await rig.run {
      try await rig.wait(for: .syncing)
      async let first = rig.service.synchronize()
      async let second = rig.service.synchronize(retryFailed: true)
      try await rig.waitOnService { await $0.machine.queue.waiters.count == 2 }
      gate.open()
      let reports = try await [first, second]
      #expect(reports.allSatisfy { $0.outcome == .inSync && !$0.wroteAnything })
      #expect(await rig.service.snapshot.runs == 2)
    }
  }

  @Test("whoever waits for a remote that is not there is told so")
  func unreachable() async throws {
    let rig = try ServiceRig()
    rig.remote.setFault { _, _ in .offline }
    try await rig.run {
      try await rig.wait(for: .backingOff)
      let report = try await rig.service.synchronize()
      #expect(report.outcome == .offline)
      #expect(report.message.contains("cannot connect"))
      rig.remote.setFault(nil)
      try await rig.pass { $0.state == .online }
    }
  }

  @Test("a question to a service that does not run, or stops, is an error")
  func notRunning() async throws {
    let rig = try ServiceRig()
    await #expect(throws: SyncError.self) { try await rig.service.synchronize() }
    let gate = Gate()
    try await rig.write("a")
    rig.remote.setPause { request in if request.isWrite { await gate.pass() } }
    try await rig.run {
      try await rig.wait(for: .syncing)
      let waiter = Task { try await rig.service.synchronize() }
      try await rig.waitOnService { await !$0.machine.queue.waiters.isEmpty }
      await rig.service.stop()
      await #expect(throws: SyncError.self) { try await waiter.value }
      gate.open()
    }
  }

  @Test("giving up waiting ends the wait and not the run")
  func givesUp() async throws {
    let rig = try ServiceRig()
    let gate = Gate()
    try await rig.write("a")
    rig.remote.setPause { request in if request.isWrite { await gate.pass() } }
    try await rig.run {
      try await rig.wait(for: .syncing)
      let waiter = Task { try await rig.service.synchronize() }
      try await rig.waitOnService { await !$0.machine.queue.waiters.isEmpty }
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
      gate.open()
      try await rig.wait(for: .online, runs: 2)
    }
  }

  @Test("another engine takes over in the middle of a run")
  func reload() async throws {
    let rig = try ServiceRig()
    let old = MemoryRemote(url: "memory://old")
    let gate = Gate()
    old.setPause { request in if request.isWrite { await gate.pass() } }
    for id in ["a", "b", "c"] { try await rig.write(id) }
    await rig.service.reload(engine: rig.engine(old))
    try await rig.run {
      try await rig.wait(for: .syncing)
      while old.writes.isEmpty { await Task.yield() }
      await rig.service.reload(engine: rig.engine(rig.remote))
      try await rig.wait(for: .online)
      #expect(old.projects.isEmpty)
      #expect(rig.remote.projects.count == 3)
    }
  }

  @Test("a reload with another source of the network's state goes by that one alone")
  func reloadConnectivity() async throws {
    let rig = try ServiceRig()
    let other = ManualConnectivity(isUp: false)
    try await rig.run {
      try await rig.wait(for: .online)
      await rig.service.reload(engine: rig.engine(rig.remote), connectivity: other)
      try await rig.wait { $0.isNetworkUp == false }
      while rig.network.followers > 0 { await Task.yield() }
      other.set(isUp: true)
      try await rig.wait { $0.isNetworkUp == true }
      await rig.service.reload(engine: rig.engine(rig.remote))
      other.set(isUp: false)
      try await rig.wait { $0.isNetworkUp == false }
    }
  }

  @Test("stopping finishes the run under way")
  func stop() async throws {
    let rig = try ServiceRig()
    let gate = Gate()
    try await rig.write("a")
    rig.remote.setPause { request in if request.isWrite { await gate.pass() } }
    try await rig.run {
      try await rig.wait(for: .syncing)
      await rig.service.stop()
      #expect(await rig.service.snapshot.state == .syncing)
      gate.open()
      try await rig.wait(for: .stopped)
      #expect(rig.remote.projects.count == 1)
    }
  }

  @Test("a run that does not end is cancelled when the time for stopping is over")
  func stopLimit() async throws {
    let rig = try ServiceRig()
    let gate = Gate()
    try await rig.write("a")
    rig.remote.setPause { request in if request.isWrite { await gate.pass() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await rig.service.run() }
      try await rig.wait(for: .syncing)
      await rig.service.stop()
      try await rig.clock.advance(by: .seconds(30))
      try await group.waitForAll()
    }
    #expect(rig.remote.projects.isEmpty)
    gate.open()
    rig.remote.setPause(nil)
    let report = try await rig.engine(rig.remote).synchronize()
    #expect(report.remote.appended == 1, "\(report.message)")
    try await rig.expectAtRest()
  }

  @Test("cancelling stops at once, and leaves nothing running")
  func cancel() async throws {
    let rig = try ServiceRig()
    let gate = Gate()
    try await rig.write("a")
    rig.remote.setPause { request in if request.isWrite { await gate.pass() } }
    let running = Task { try await rig.service.run() }
    try await rig.wait(for: .syncing)
    let waiter = Task { try await rig.service.synchronize() }
    try await rig.waitOnService { await !$0.machine.queue.waiters.isEmpty }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    await #expect(throws: SyncError.self) { try await waiter.value }
    #expect(await rig.service.snapshot.state == .stopped)
    #expect(rig.clock.sleepers == 0)
    #expect(rig.network.followers == 0)
    #expect(rig.remote.projects.isEmpty)
    gate.open()
    // It may be started again.
    rig.remote.setPause(nil)
    try await rig.run { try await rig.wait(for: .online) }
    #expect(rig.remote.projects.count == 1)
  }

  @Test("a service runs once at a time")
  func twice() async throws {
    let rig = try ServiceRig()
    try await rig.run {
      try await rig.wait(for: .online)
      await #expect(throws: SyncError.self) { try await rig.service.run() }
    }
  }

  @Test("an engine by itself stays until it is cancelled")
  func engineRuns() async throws {
    let rig = try ServiceRig()
    try await rig.write("a")
    let engine = rig.engine(rig.remote)
    _ = { try await engine.run(connectivity: .system) }
    let running = Task { try await engine.run(connectivity: rig.network) }
    while rig.remote.projects.isEmpty { await Task.yield() }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    _ = try await engine.synchronize()
    try await rig.expectAtRest()
  }
}
