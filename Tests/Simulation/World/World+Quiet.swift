import SyncKit

extension World {
  /// Two rounds in which nothing goes wrong, and a third that must not write anything; then looks
  /// at everything. What a device that only ever sends puts in place of a deletion takes a round more
  /// to arrive; and where conflicts wait for people, they are decided first.
  package func settle() async {
    if setup.policy == .manual {
      for device in devices where await quietRun(device)?.outcome == .conflicts {
        await resolve(on: device, keeping: .local)
        await quietRun(device)
      }
    }
    for _ in 0..<2 + setup.pushers {
      for device in devices { await quietRun(device) }
    }
    let before = network.server.revision
    for device in devices {
      guard let report = await quietRun(device) else { continue }
      if report.outcome != .inSync || report.wroteAnything {
        self.report(
          "rest",
          "device \(device.index) is not at rest: \(report.outcome.rawValue), remote \(report.remote),"
            + " local \(report.local) \(report.failed) \(report.message)")
      }
    }
    if network.server.revision != before { report("rest", "the remote changed in the last round") }
    checkHours()
    await checkStores()
    await checkEnd()
  }

  /// A run as a person makes it who knows that nothing is wrong: one that is refused is repeated.
  @discardableResult
  private func quietRun(_ device: Device) async -> SyncReport? {
    guard let boot = device.boot else {
      report("down", "device \(device.index) does not start")
      return nil
    }
    var options = options(for: device)
    var report: SyncReport?
    boot.start(on: scheduler) {}
    report = await run(device, boot, options)
    if report?.outcome == .refused {
      options.guards.allowEmpty = true
      options.guards.forceDelete = true
      report = await run(device, boot, options, isLasting: false)
    }
    return report
  }

  private func checkStores() async {
    for device in devices {
      guard let boot = device.boot else { continue }
      do {
        try await boot.store.check()
        let database = try device.visit()
        let pending = try database.integer("SELECT count(*) FROM syncd_journal") ?? 0
        // A deletion that is kept here alone waits for ever, and so does what is older than the remote's.
        let waits = setup.deletions == .never || device.isPusher
        if pending > 0, !waits {
          report("journal", "device \(device.index) has \(pending) entries left")
        }
      } catch {
        report("integrity", "device \(device.index): \(error)")
      }
    }
  }

  private func checkEnd() async {
    do {
      var end = EndState(remote: try await remoteContents(), devices: [], histories: [])
      for device in devices {
        let database = try device.visit()
        var contents: [ProjectID: Project] = [:]
        for row in try database.current { contents[row.id] = try database.project(row.id) }
        end.devices.append(contents)
        end.histories.append(Set(try database.superseded))
      }
      for (id, project) in end.remote.sorted(by: { $0.key < $1.key }) {
        trace.note("end \(id) \(project.title) \(project.updatedAt.microseconds)")
      }
      EndChecks(
        ledger: ledger, end: end, setup: setup, held: devices.map(\.held),
        report: { self.report($0, $1) }
      ).check()
    } catch {
      report("reading", "\(error)")
    }
  }

  private func remoteContents() async throws -> [ProjectID: Project] {
    let transport = SimulatedTransport(network, device: -1)
    let remote = try makeRemote(
      RemoteOptions(url: World.url), transport: transport, clock: clock, random: { 0.5 },
      now: { Timestamp(microseconds: 0) })
    let listed = Listed()
    _ = try await remote.list(since: nil) { entries in
      listed.ids += entries.compactMap { entry in
        switch entry {
        case .digest(let digest): digest.id
        case .record(let record): record.project.id
        case .unreadable: nil
        }
      }
    }
    var contents: [ProjectID: Project] = [:]
    for outcome in try await remote.fetch(listed.ids) {
      if case .record(let record) = outcome { contents[record.project.id] = record.project }
    }
    return contents
  }
}

/// Unchecked: it lives on the scheduler's thread alone.
private final class Listed: @unchecked Sendable {
  var ids: [ProjectID] = []
}
