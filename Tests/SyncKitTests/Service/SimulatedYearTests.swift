import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// A year of one store and one remote, in virtual time.
@Suite("A simulated year", .timeLimit(.minutes(5)))
struct SimulatedYearTests {
  /// What the world does to the service, by the day.
  private struct World {
    var random: SeededGenerator
    /// Days without network, and days on which the remote answers every request with trouble.
    var outages: [Range<Double>] = []
    var maintenance: [Range<Double>] = []

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      // Nearly three days of trouble in all.
      for (number, length) in [0.02, 0.3, 0.5, 0.1, 0.3, 0.02, 0.3, 1.2].enumerated() {
        let start = Double(number) * 45 + Double.random(in: 1..<40, using: &random)
        if number.isMultiple(of: 2) {
          outages.append(start..<start + length)
        } else {
          maintenance.append(start..<start + length)
        }
      }
    }
  }

  @Test("every edit arrives, and nothing grows without bound")
  func year() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var world = World(seed: seed)
    let rig = try ServiceRig(
      .both, service: ServiceOptions(interval: .seconds(12 * 3600)), seed: seed,
      isWatched: false)
    rig.remote.behaviour.limits.writesPerRequest = 20
    let flaky = Flakiness(seed: seed, clock: rig.clock, outages: world.outages + world.maintenance)
    rig.remote.setFault { request, _ in flaky.fault(request) }
    let counts = EventCounts(rig.service)
    var edits = 0
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await rig.service.run() }
      group.addTask { await counts.follow() }
      for day in 0..<365 {
        for _ in 0..<Int.random(in: 0...2, using: &world.random) {
          edits += 1
          try await edit(edits, rig, &world.random)
        }
        if day.isMultiple(of: 10) { rig.remote.put(try theirs(day, rig)) }
        for part in 1...2 {
          try await pass(to: Double(day) + Double(part) / 2, rig, world)
        }
      }
      rig.remote.setFault(nil)
      _ = try await rig.service.synchronize()
      await rig.service.stop()
      try await group.waitForAll()
    }
    try await check(rig, counts, edits: edits, seed: seed)
    try await rig.expectAtRest()
  }

  private func check(_ rig: ServiceRig, _ counts: EventCounts, edits: Int, seed: UInt64)
    async throws
  {
    let local = try await rig.store.allProjects()
    #expect(local.count > 100)
    #expect(Dictionary(uniqueKeysWithValues: local.map { ($0.id, $0) }) == rig.remote.projects)
    let journal = try await rig.store.number("SELECT count(*) FROM syncd_journal")
    #expect(journal == 0, "seed \(seed)")
    let history = try await rig.store.number("SELECT count(*) FROM syncd_history")
    let old = VirtualTime(clock: rig.clock).now.later(-91 * 86_400).microseconds
    let outlived = try await rig.store.number(
      """
      SELECT count(*) FROM syncd_history WHERE at<\(old)
        AND NOT \(Triggers.isBase("syncd_history"))
      """)
    #expect(edits > 200 && history > 0 && history < edits / 2, "\(history) versions of \(edits)")
    #expect(outlived == 0, "seed \(seed)")
    // Two runs a day at the interval, one for most edits, a few requests each; and in three days of
    // trouble an attempt every two or three minutes.
    #expect(rig.remote.log.count < 9000, "\(rig.remote.log.count) requests, seed \(seed)")
    #expect(counts.states < 12_000, "\(counts.states) changes of state, seed \(seed)")
    #expect(counts.warnings < 4000, "\(counts.warnings) failures told, seed \(seed)")
  }

  /// Some edit, stamped with the virtual time in the history, and seen by the service.
  private func edit(
    _ number: Int, _ rig: ServiceRig, _ random: inout SeededGenerator
  ) async throws {
    let id = "p\(Int.random(in: 0..<150, using: &random))"
    let before = try await rig.store.number("SELECT coalesce(max(version), 0) FROM syncd_history")
    if number.isMultiple(of: 40) {
      try await rig.store.sql("DELETE FROM projects WHERE id = ?", [.text(id)])
    } else {
      try await rig.write(id, title: "edit \(number)")
    }
    let now = VirtualTime(clock: rig.clock).now.microseconds
    try await rig.store.sql(
      "UPDATE syncd_history SET at = ? WHERE version > ?", [.integer(now), .integer(before)])
    rig.tellOfWrite()
    try await rig.waitUntilSeen()
  }

  private func theirs(_ day: Int, _ rig: ServiceRig) throws -> Project {
    Project(
      id: try ProjectID("theirs-\(day)"), title: "day \(day)",
      createdAt: VirtualTime(clock: rig.clock).now, updatedAt: VirtualTime(clock: rig.clock).now)
  }

  /// Lets the service live until a moment, deadline by deadline, with the network as it is then.
  private func pass(to day: Double, _ rig: ServiceRig, _ world: World) async throws {
    let end = Duration.seconds(day * 86_400)
    let isUp = !world.outages.contains { $0.contains(day) }
    if rig.network.path.isUp != isUp {
      rig.network.set(isUp: isUp)
      try await rig.wait { $0.isNetworkUp == isUp }
    }
    while true {
      try await rig.quiet()
      guard let next = await rig.service.armed, next <= end else { break }
      try await rig.clock.advance(by: max(.zero, next - rig.clock.now.offset))
    }
    try await rig.clock.advance(by: max(.zero, end - rig.clock.now.offset))
  }
}

/// Trouble during outages, and now and then.
private final class Flakiness: Sendable {
  private let random: Mutex<SeededGenerator>
  private let clock: TestClock
  private let outages: [Range<Double>]

  init(seed: UInt64, clock: TestClock, outages: [Range<Double>]) {
    random = Mutex(SeededGenerator(seed: seed &+ 1))
    (self.clock, self.outages) = (clock, outages)
  }

  func fault(_ request: MemoryRequest) -> MemoryFault? {
    let day = Double(clock.now.offset.components.seconds) / 86_400
    if outages.contains(where: { $0.contains(day) }) { return .offline }
    return random.withLock { random in
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<4: .offline
      case 4..<6 where request.isWrite: .lostReply
      case 6: .protocolViolation
      default: nil
      }
    }
  }
}

/// How much a service told.
private final class EventCounts: Sendable {
  private let events: AsyncStream<ServiceEvent>
  private let counts = Mutex((states: 0, warnings: 0))

  init(_ service: SyncService) { events = service.events }

  var states: Int { counts.withLock { $0.states } }
  var warnings: Int { counts.withLock { $0.warnings } }

  func follow() async {
    for await event in events {
      counts.withLock { counts in
        if case .state = event { counts.states += 1 }
        if case .waiting = event { counts.warnings += 1 }
      }
      if event == .state(.stopped) { return }
    }
  }
}
