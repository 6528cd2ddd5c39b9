import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// The time of day by a test's clock.
struct VirtualTime: TimeSource {
  let clock: TestClock
  static let start: Int64 = 1_800_000_000_000_000

  var now: Timestamp { Timestamp(microseconds: Self.start + uptime.microseconds) }
  var uptime: Duration { clock.now.offset }
}

/// A service on a store in a folder of its own, with its remote, network and clock in hand.
final class ServiceRig: Sendable {
  let files: TemporaryStore
  let store: LocalStore
  let remote = MemoryRemote()
  let network: ManualConnectivity
  let clock = TestClock()
  let options: SyncOptions
  let service: SyncService
  private let writes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  init(
    isUp: Bool = true, _ options: SyncOptions = .push,
    service serviceOptions: ServiceOptions = ServiceOptions(), seed: UInt64 = 1,
    isWatched: Bool = true
  ) throws {
    files = try TemporaryStore(isFast: !isWatched)
    store = try files.open()
    network = ManualConnectivity(isUp: isUp)
    self.options = options
    service = SyncService(
      engine: SyncEngine(
        store: store, remote: remote, options: options, time: VirtualTime(clock: clock)),
      connectivity: network, options: serviceOptions, clock: clock, random: .seeded(seed),
      watch: { [writes] store in
        isWatched ? StoreWatcher(path: store.path).changes() : writes.stream
      })
  }

  func engine(_ remote: any RemoteStore) -> SyncEngine {
    SyncEngine(store: store, remote: remote, options: options, time: VirtualTime(clock: clock))
  }

  func write(_ id: String, title: String? = nil) async throws {
    try await store.sql(
      """
      INSERT INTO projects(id, title) VALUES(?1, ?2)
      ON CONFLICT(id) DO UPDATE SET title = excluded.title
      """, [.text(id), .text(title ?? "title of \(id)")])
  }

  /// Runs the service beside `body`, then stops it; in the end both sides are at rest.
  func run(
    _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.service.run() }
      try await body()
      await service.stop()
      try await group.waitForAll()
    }
    try await expectAtRest(sourceLocation: sourceLocation)
  }

  /// A run that writes nothing, on a remote that works.
  func expectAtRest(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    remote.setFault(nil)
    remote.setPause(nil)
    remote.clearLog()
    let report = try await engine(remote).synchronize()
    #expect(report.outcome == .inSync, "\(report.message)", sourceLocation: sourceLocation)
    #expect(!report.wroteAnything, sourceLocation: sourceLocation)
    #expect(remote.writes.isEmpty, sourceLocation: sourceLocation)
  }

  // MARK: Waiting for the service

  /// Waits until it is so, asking again whenever something in the service may be another. The
  /// virtual time stands still meanwhile.
  func wait(until condition: (ServiceSnapshot) -> Bool) async throws {
    try await waitOnService { condition(await $0.snapshot) }
  }

  func waitOnService(until condition: (SyncService) async -> Bool) async throws {
    var pulse = service.pulse.subscribe().makeAsyncIterator()
    while !(await condition(service)) {
      try Task.checkCancellation()
      _ = await pulse.next()
    }
  }

  func wait(for state: ServiceState) async throws {
    try await wait { $0.state == state }
  }

  func wait(for state: ServiceState, runs: Int) async throws {
    try await wait { $0.state == state && $0.runs >= runs }
  }

  /// Waits until the service waits to try again within so much time.
  func waitForAttempt(within limit: Duration) async throws {
    let end = Timestamp(
      microseconds: VirtualTime(clock: clock).now.microseconds + limit.microseconds)
    try await wait { $0.nextAttempt.map { $0 <= end } ?? false }
  }

  /// Tells a service whose store nobody watches that somebody wrote.
  func tellOfWrite() { writes.continuation.yield() }

  /// Waits until the service has looked at everything that was written to the store.
  func waitUntilSeen() async throws {
    let sequence = try await store.number("SELECT seq FROM syncd_store")
    try await waitOnService { await $0.hasSeen(sequence) }
  }

  /// Lets the time pass from one deadline of the service to the next, whatever it does meanwhile
  /// taking no time, until it is so.
  ///
  /// - Returns: the time that passed.
  @discardableResult
  func pass(until condition: (ServiceSnapshot) -> Bool) async throws -> Duration {
    let start = clock.now.offset
    while true {
      try await quiet()
      if condition(await service.snapshot) { return clock.now.offset - start }
      try await clock.advanceToNextDeadline()
    }
  }

  /// Waits until the service is at nothing but waiting for its next deadline.
  func quiet() async throws {
    var pulse = service.pulse.subscribe().makeAsyncIterator()
    while true {
      // A timer that was woken has not told the service yet; once it sleeps again, it has.
      try await clock.waitForSleepers(1)
      if await service.isQuiet { return }
      _ = await pulse.next()
    }
  }
}

extension SyncService {
  /// Whether nothing is under way, and the timer sleeps for what comes next.
  var isQuiet: Bool {
    guard let armed, let deadline = machine.deadline, machine.phase == .resting else {
      return false
    }
    return armed <= deadline
  }

  /// Whether the service has looked at everything that the store has written.
  func hasSeen(_ sequence: Int64) -> Bool { seen.map { $0 >= sequence } ?? false }
}

/// A door that work waits at.
final class Gate: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func open() { continuation.finish() }

  /// Waits for `open`, or for the task's cancellation.
  func pass() async {
    for await _ in stream {}
  }
}

extension MemoryRequest {
  var isWrite: Bool { writtenID != nil }
}
