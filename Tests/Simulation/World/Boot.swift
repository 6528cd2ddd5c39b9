import SyncKit

/// A device's processes from one start to the next crash: the open store, and what runs with it.
///
/// Unchecked: it lives on the scheduler's thread alone.
final class Boot: @unchecked Sendable {
  let store: LocalStore
  let transport: SimulatedTransport
  private let makeEngine: (SyncOptions) throws -> SyncEngine
  private var lasting: SyncEngine?
  private let isFresh: Bool
  private var tasks: [Task<Void, Never>] = []
  private(set) var runsUnderWay = 0

  /// - Throws: `SyncError` when the store cannot be opened.
  init(_ device: Device, _ world: World) throws(SyncError) {
    store = try LocalStore(
      path: device.disk.folder.store, executor: world.scheduler.makeLane(),
      fileSystem: device.volume.name)
    let transport = SimulatedTransport(world.network, device: device.index)
    self.transport = transport
    isFresh = world.setup.isFresh
    let (setup, network, clock, mutant) = (
      world.setup, world.network, device.clock, world.mutant
    )
    makeEngine = { [store] options in
      var remote = RemoteOptions(url: World.url)
      remote.concurrency = setup.concurrency
      let made = try makeRemote(
        remote, transport: transport, clock: SimulatedClock(scheduler: network.scheduler),
        random: { Double.random(in: 0..<1, using: &network.draws) },
        now: { Timestamp(microseconds: clock.wall) })
      return SyncEngine(
        store: store, remote: mutant.wrap(made), options: mutant.amend(options),
        time: SimulatedTime(clock: clock))
    }
  }

  /// The engine for a run with these options.
  func engine(_ options: SyncOptions, isLasting: Bool) throws -> SyncEngine {
    guard isLasting, !isFresh else { return try makeEngine(options) }
    if let lasting { return lasting }
    let engine = try makeEngine(options)
    lasting = engine
    return engine
  }

  /// Runs `body` as a part of this start; it is cancelled by the crash.
  func start(on scheduler: Scheduler, _ body: @escaping @Sendable () async -> Void) {
    if runsUnderWay == 0 { transport.forgetFaults() }
    runsUnderWay += 1
    tasks.append(
      scheduler.start {
        await body()
        self.runsUnderWay -= 1
      })
  }

  func kill() {
    transport.isDead = true
    for task in tasks { task.cancel() }
  }
}
