import SyncKit
import Synchronization

/// The service as those see it who ask over its socket.
final class RunningService: ServiceControl {
  let service: SyncService
  private let site: Mutex<ServiceSite>
  private let startedAt: Timestamp
  private let processID: Int32

  init(_ service: SyncService, site: ServiceSite, processID: Int32, startedAt: Timestamp = .now) {
    self.service = service
    self.site = Mutex(site)
    self.processID = processID
    self.startedAt = startedAt
  }

  var current: ServiceSite { site.withLock { $0 } }

  /// Goes on with another configuration.
  func reload(_ site: ServiceSite) async {
    let former = self.site.withLock { current in
      defer { current = site }
      return current
    }
    await service.reload(
      engine: site.engine, options: site.options,
      connectivity: site.isLocal == former.isLocal ? nil : site.connectivity)
  }

  // MARK: How it is

  func status() async throws -> JSONText {
    let site = current
    let snapshot = await service.snapshot
    let status = try await site.store.status(remote: site.engine.remote.identity)
    return StatusView(
      status: status, url: site.engine.remote.url, now: .now,
      service: ServiceStanding(
        pid: processID, state: snapshot.state.rawValue, reason: snapshot.reason,
        nextAttempt: snapshot.nextAttempt, pausedUntil: snapshot.pausedUntil)
    ).json
  }

  func gauges() async throws -> ServiceGauges {
    let site = current
    let snapshot = await service.snapshot
    let status = try await site.store.status(remote: site.engine.remote.identity)
    return ServiceGauges(
      state: snapshot.state.rawValue, pending: status.pending, setAside: status.setAside.count,
      lastSuccess: status.lastSuccess, startedAt: startedAt,
      interval: site.configuration.service.interval)
  }

  func events() -> AsyncStream<ControlEvent> {
    let events = service.events
    return AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
      let task = Task {
        for await event in events {
          if let event = ControlEvent(event) { continuation.yield(event) }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  // MARK: What it is asked to do

  func requestSync(retryFailed: Bool) async {
    await service.requestSync(retryFailed: retryFailed)
  }

  func synchronize(retryFailed: Bool) async throws -> SyncReport {
    try await service.synchronize(retryFailed: retryFailed)
  }

  func pause(for duration: Duration?) async -> Timestamp? {
    await service.pause(for: duration)
    return await service.snapshot.pausedUntil
  }

  func resume() async -> String {
    await service.resume()
    return await service.snapshot.state.rawValue
  }

  func setAside() async throws -> [SetAside] {
    let site = current
    return try await site.store.status(remote: site.engine.remote.identity).setAside
  }

  func retrySetAside(_ id: String) async throws -> Bool {
    let site = current
    guard try await site.store.retrySetAside(id, remote: site.engine.remote.identity) else {
      return false
    }
    await service.requestSync()
    return true
  }

  func dropSetAside(_ id: String) async throws -> Bool {
    let site = current
    return try await site.store.dropSetAside(id, remote: site.engine.remote.identity)
  }
}

extension ControlEvent {
  /// Nil for what only the log is told.
  init?(_ event: ServiceEvent) {
    switch event {
    case .state(let state): self = .state(state.rawValue)
    case .paused(let until): self = .paused(until: until)
    case .run(let event): self = .run(event)
    case .waiting, .network, .storeReplaced: return nil
    }
  }
}
