import TestSupport
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The service and its store", .timeLimit(.minutes(1)))
struct ServiceStoreTests {
  @Test("a file that takes the store's place is told once, and opened again by a reload")
  func replaced() async throws {
    let rig = try ServiceRig()
    let events = EventLog(rig.service)
    try await rig.write("a")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await rig.service.run() }
      try await rig.wait(for: .online, runs: 1)
      do {
        let other = try LocalStore(path: rig.store.path + ".new")
        try await other.sql("INSERT INTO projects(id) VALUES('b')")
      }
      #expect(rename(rig.store.path + ".new", rig.store.path) == 0)
      try await rig.waitForAttempt(within: .milliseconds(500))
      try await rig.clock.advance(by: .milliseconds(500))
      try await rig.wait(for: .backingOff)
      #expect(await rig.service.snapshot.lastReport?.outcome == .storeError)
      let store = try LocalStore(path: rig.store.path)
      let engine = SyncEngine(
        store: store, remote: MemoryRemote(), time: VirtualTime(clock: rig.clock))
      await rig.service.reload(engine: engine)
      try await rig.wait(for: .online)
      #expect(await rig.service.snapshot.lastReport?.remote.appended == 1)
      await rig.service.stop()
      try await group.waitForAll()
      #expect(try await engine.synchronize().wroteAnything == false)
    }
    let replacements = await events.all().count { $0 == .storeReplaced }
    #expect(replacements == 1)
  }

  @Test("a store without a file is synchronized when somebody asks")
  func inMemory() async throws {
    let rig = try ServiceRig()
    let store = try LocalStore(inMemory: ())
    let engine = SyncEngine(
      store: store, remote: rig.remote, time: VirtualTime(clock: rig.clock))
    await rig.service.reload(engine: engine)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await rig.service.run() }
      try await rig.wait(for: .online, runs: 1)
      try await store.sql("INSERT INTO projects(id) VALUES('a')")
      #expect(try await rig.service.synchronize().remote.appended == 1)
      await rig.service.stop()
      try await group.waitForAll()
    }
    #expect(try await engine.synchronize().wroteAnything == false)
  }

  @Test("a store whose watch ended is watched again after the next run")
  func watchedAgain() async throws {
    let rig = try ServiceRig()
    let watches = Counter()
    let service = SyncService(
      engine: rig.engine(rig.remote), connectivity: rig.network, options: ServiceOptions(),
      clock: rig.clock, random: .seeded(1),
      watch: { _ in
        watches.add()
        return AsyncStream { $0.finish() }
      })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await service.run() }
      while watches.count == 0 { await Task.yield() }
      while await service.isWatching { await Task.yield() }
      let before = watches.count
      _ = try await service.synchronize()
      while watches.count == before { await Task.yield() }
      await service.stop()
      try await group.waitForAll()
    }
    try await rig.expectAtRest()
  }
}

private final class Counter: Sendable {
  private let value = EntryCounter()

  var count: Int { value.add(0) }

  func add() { _ = value.add(1) }
}
