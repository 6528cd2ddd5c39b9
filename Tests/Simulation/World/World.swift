import SyncKit
import SyncServer
import TestSupport

/// Devices, a network and a server, and everything that is to happen to them.
///
/// Unchecked: it lives on the scheduler's thread alone.
package final class World: @unchecked Sendable {
  static let url = "http://simulated.example/v1/projects"

  let setup: Setup
  let scheduler: Scheduler
  let network: Network
  let trace: Trace
  let mutant: Mutant
  var devices: [Device] = []
  var ledger = Ledger()
  /// Devices whose last run did not go through.
  var unfinished: Set<Int> = []
  /// Runs that each device began in each hour.
  private var begun: [DeviceHour: Int] = [:]
  /// How many changes there were when each device's last run began that went through.
  private var settled: [Int: Int] = [:]
  /// Devices that made no run that went through since the server was put back.
  var unaware: Set<Int> = []
  /// Counts how often the server forgot or remembered.
  var forgetfulness = 0
  /// How many changes there were when a device was last backed up.
  var backupMoments: [Int: Int] = [:]
  /// What is as it must not be.
  private(set) var violations: [Violation] = []
  private(set) var tally = Tally()
  private var nextToken = 0
  private var isQuiet = false
  private var startsLater = 0

  package struct Violation: Sendable, Equatable {
    package var rule: String
    package var detail: String
  }

  /// Counts, for people.
  package struct Tally: Sendable, Equatable {
    package var runs = 0
    package var crashes = 0
    package var requests = 0
    package var refused = 0
    package var changes = 0
    package var conflicts = 0
    package var steps = 0

    package init() {}

    package mutating func add(_ other: Tally) {
      runs += other.runs
      crashes += other.crashes
      requests += other.requests
      refused += other.refused
      changes += other.changes
      conflicts += other.conflicts
      steps += other.steps
    }
  }

  init(_ setup: Setup, mutant: Mutant, trace: Trace) {
    (self.setup, self.mutant, self.trace) = (setup, mutant, trace)
    scheduler = Scheduler(seed: setup.seed ^ 0x5CED)
    var limits = SyncServer.Limits()
    (limits.maximumPageItems, limits.pageItems) = (setup.page, setup.page)
    (limits.batchItems, limits.fetchItems) = (setup.batch, setup.fetch)
    limits.tombstones = setup.tombstones
    let server: any SimulatedServer =
      setup.isPlain ? PlainServer() : SyncdServer(limits, hasFile: setup.isPutBack)
    network = Network(scheduler, server: server, seed: setup.seed ^ 0x4E37, trace: trace)
    for index in 0..<setup.devices + setup.followers {
      devices.append(Device(index, self))
    }
    for device in devices { device.start() }
  }

  var clock: SimulatedClock { SimulatedClock(scheduler: scheduler) }

  func report(_ rule: String, _ detail: String) {
    trace.note("! \(rule): \(detail)")
    violations.append(Violation(rule: rule, detail: detail))
  }

  func makeToken() -> String {
    nextToken += 1
    return "t\(nextToken)"
  }

  func options(for device: Device) -> SyncOptions {
    var options = SyncOptions(
      direction: device.isFollower ? .pull : device.isPusher ? .push : .both,
      deletions: setup.deletions, conflicts: setup.policy)
    // One that hears of nothing is not to delete what it never had.
    if device.isPusher, options.deletions == .propagate { options.deletions = .known }
    options.historyKeep = .seconds(40 * 365 * 86_400)
    if setup.compares { options.comparesFrom = 0 }
    return options
  }

  func startLater(_ device: Device) {
    tally.crashes += 1
    startsLater += 1
    let wait = Int64.random(in: 0...20_000, using: &network.draws)
    scheduler.start { [self] in
      try? await clock.sleep(milliseconds: wait)
      device.start()
      startsLater -= 1
    }
  }

  /// Lets everything happen, and waits until it is over.
  package func perform(_ events: [Event]) async {
    for event in events {
      try? await clock.sleep(milliseconds: event.gap)
      trace.note("\(scheduler.now) \(event)")
      await perform(event)
    }
    await calmDown()
  }

  /// From now on nothing goes wrong, and everything that was under way comes to its end.
  private func calmDown() async {
    network.weather = .calm
    network.cutOff = []
    network.isServerDown = false
    if network.server.isForgetful { forgetfulness += 1 }
    network.server.isForgetful = false
    for device in devices {
      device.disk.changesLeft = nil
      device.boot?.transport.requestsLeft = nil
    }
    for _ in 0..<1000
    where startsLater > 0 || network.strays > 0 || devices.contains(where: \.isBusy) {
      for device in devices { device.disk.changesLeft = nil }
      try? await clock.sleep(milliseconds: 60_000)
    }
    for device in devices { device.start() }
    // Whoever was asked to wait has waited.
    try? await clock.sleep(milliseconds: 7_200_000)
    isQuiet = true
  }

  // MARK: Runs

  func sync(_ device: Device) {
    guard let boot = device.boot else { return }
    boot.start(on: scheduler) { [self] in
      _ = await run(device, boot, options(for: device))
    }
  }

  @discardableResult
  func run(
    _ device: Device, _ boot: Boot, _ options: SyncOptions, isLasting: Bool = true
  ) async -> SyncReport? {
    begun[DeviceHour(device: device.index, at: scheduler.now), default: 0] += 1
    let known = ledger.changes.count
    let forgot = forgetfulness
    let wasForgetful = network.server.isForgetful
    if !unfinished.insert(device.index).inserted { ledger.unheard.formUnion(pending(on: device)) }
    do {
      let report = try await boot.engine(options, isLasting: isLasting).synchronize()
      if wasForgetful || forgot != forgetfulness { ledger.riskDeletions(of: device.index) }
      guard device.boot === boot else { return nil }
      trace.note(
        "\(device.index) \(report.outcome) \(report.requests) \(report.remote) \(report.local)")
      tally.runs += 1
      tally.requests += report.requests
      tally.conflicts += report.conflicts
      if report.outcome == .refused { tally.refused += 1 }
      // What the server lost there is nothing to delete of; another device sends it again.
      if unaware.contains(device.index) {
        ledger.riskDeletions(of: device.index, after: settled[device.index, default: 0])
      }
      if report.outcome == .inSync {
        unfinished.remove(device.index)
        settled[device.index] = known
        unaware.remove(device.index)
      }
      check(report, of: device, boot)
      if wasForgetful, forgot == forgetfulness, report.local.deleted > 0 {
        self.report(
          "emptied", "device \(device.index) deleted \(report.local.deleted) for an empty remote")
      }
      look(at: device)
      return report
    } catch {
      if wasForgetful || forgot != forgetfulness { ledger.riskDeletions(of: device.index) }
      if device.boot === boot, !(error is CancellationError) {
        self.report("run", "device \(device.index): \(error)")
      }
      return nil
    }
  }

  /// Whether a run ended as it may, after what was done to it.
  private func check(_ report: SyncReport, of device: Device, _ boot: Boot) {
    let faults = boot.transport.faults
    let isAllowed =
      switch report.outcome {
      case .inSync, .partial, .refused: true
      case .offline: !faults.isEmpty || !isQuiet
      case .protocol: faults.contains(.isCut) || (!isQuiet && forgetfulness > 0)
      case .locked: !isQuiet
      case .conflicts: setup.policy == .manual
      case .unauthorized, .storeError, .configError: false
      }
    if !isAllowed {
      self.report(
        "outcome", "device \(device.index) ended \(report.outcome.rawValue): \(report.message)")
    }
    if report.requests > 60 + 30 * setup.records {
      self.report("storm", "device \(device.index) sent \(report.requests) requests in one run")
    }
  }

  /// No device sends more than its runs have a use for, however they end: a run may reach into the
  /// next hour.
  func checkHours() {
    for (hour, requests) in network.requests where hour.device >= 0 {
      let runs = begun[hour, default: 0] + begun[hour.before, default: 0]
      if requests > max(1, runs) * (60 + 30 * setup.records) {
        report(
          "storm", "device \(hour.device) sent \(requests) requests in an hour, for \(runs) runs")
      }
    }
  }

  /// The versions that wait in a store to be sent.
  func pending(on device: Device) -> [Row] {
    let sql = "SELECT id, title FROM projects WHERE id IN (SELECT id FROM syncd_journal)"
    return (try? device.visit().rows(sql)) ?? []
  }

  /// Takes note of what a device holds.
  func look(at device: Device) {
    guard let database = try? device.visit(), let rows = try? database.current else {
      return
    }
    device.held.formUnion(rows)
  }

  func count(_ body: (inout Tally) -> Void) { body(&tally) }
}
