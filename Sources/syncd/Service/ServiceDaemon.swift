import HTTPServer
import SyncKit

#if os(Linux)
  import CLinux
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `syncd run`: the service with everything around it, from its start to its end.
struct ServiceDaemon: Sendable {
  let invocation: Invocation
  let log: Log
  let manager: ServiceManager
  private let trouble: TroubleLog

  init(_ invocation: Invocation) {
    self.invocation = invocation
    log = Log(sink: Log.writeStandardError)
    manager = ServiceManager(environment: invocation.environment, processID: getpid())
    trouble = TroubleLog(log)
  }

  /// Runs until a signal ends it.
  ///
  /// - Throws: `ConfigurationError`, `SyncError` and `ListenError` where it cannot start.
  func run() async throws {
    Self.keepOneHeap()
    let site = try await ServiceSite(try invocation.configuration())
    log.change(to: manner(of: site.configuration))
    let service = SyncService(
      engine: site.engine, connectivity: site.connectivity, options: site.options)
    let running = RunningService(service, site: site, processID: getpid())
    let journal = ServiceJournal(
      trouble, manager: manager, hooks: hooks(of: site.configuration))
    let lock = try Self.lock(site.store.path)
    defer { lock.release() }
    let control = ControlServer(running)
    let doors = try self.doors(site.configuration)
    defer { control.stop() }
    log.info(
      "started: \(site.configuration.store) and \(site.engine.remote.url)",
      ["version": .text(syncdVersion), "pid": .number(Int(getpid()))])
    manager.ready(status: "started")
    try await attend(running, journal) {
      // Whoever knocked before is answered now.
      for door in doors { try control.listen(on: door.socket, offering: door.offer) }
    }
    await journal.hooks.stop()
    log.info("stopped; what was not sent waits in the store")
  }

  /// One heap for all threads. What a run took is given back to the system once it is over, and glibc
  /// does that for the end of the first heap alone. A run takes no longer for it.
  private static func keepOneHeap() {
    #if canImport(Glibc)
      mallopt(M_ARENA_MAX, 1)
    #endif
  }

  /// Everything that goes on beside the service, until that ends.
  ///
  /// - Parameter begun: called once the service runs, and can be asked.
  private func attend(
    _ running: RunningService, _ journal: ServiceJournal,
    begun: @escaping @Sendable () throws -> Void
  ) async throws {
    let events = running.service.events
    let signals = ServiceSignals()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        var hasBegun = false
        for await event in events {
          journal.note(event)
          if !hasBegun { try begun() }
          hasBegun = true
        }
        return false
      }
      group.addTask { [self] in
        for await signal in signals.stream { await obey(signal, running, journal) }
        return false
      }
      if let interval = manager.watchdogInterval {
        group.addTask { [manager, log] in
          await Watchdog(interval: interval).run(
            clock: ContinuousClock(), now: { SystemTime().uptime },
            progress: {
              // The service itself is asked: one that hangs gives no sign of life.
              _ = await running.service.snapshot
              return journal.progress
            },
            keepAlive: { manager.keepAlive() },
            stalled: { log.error("no progress for minutes; the watchdog is told nothing more") })
          return false
        }
      }
      group.addTask {
        try await running.service.run()
        return true
      }
      while let hasEnded = try await group.next(), !hasEnded {}
      signals.stop()
      group.cancelAll()
    }
  }

  private func obey(
    _ signal: ServiceSignals.Order, _ running: RunningService, _ journal: ServiceJournal
  ) async {
    switch signal {
    case .stop:
      let limit = ServiceSite.stopLimit.spelled
      log.info("stopping: what is under way is finished, for \(limit) at most")
      manager.stopping()
      manager.extendTimeout(by: ServiceSite.stopLimit + .seconds(10))
      await running.service.stop()
    case .stopNow:
      log.info("stopping at once")
      await running.service.stopNow()
    case .sync: await running.service.requestSync()
    case .reload: await reload(running, journal)
    }
  }

  /// Reads the configuration again; with one that cannot be used, the service goes on as it is.
  private func reload(_ running: RunningService, _ journal: ServiceJournal) async {
    manager.reloading()
    defer { manager.ready() }
    let old = running.current
    do {
      var configuration = try invocation.configuration()
      if let file = old.configuration.file, configuration.file == nil {
        throw ConfigurationError(file: file, "is not there any more")
      }
      var differences = configuration.differences(from: old.configuration)
      // What takes a restart stays as it is until then.
      configuration.service.socket = old.configuration.service.socket
      configuration.service.http = old.configuration.service.http
      configuration.store = old.configuration.store
      let isInPlace = try await !old.store.changesSince(.max).isStoreReplaced
      if !isInPlace { differences.append("store: opened the file that is there now") }
      let site = try await ServiceSite(configuration, store: isInPlace ? old.store : nil)
      log.change(to: manner(of: configuration))
      let hooks = journal.hooks
      journal.change(to: self.hooks(of: configuration))
      await running.reload(site)
      log.info(differences.isEmpty ? "reloaded; nothing changed" : "reloaded")
      for difference in differences { log.info(difference) }
      await hooks.settle()
    } catch {
      log.error("not reloaded, and goes on as before: \(error)")
    }
  }

  // MARK: Parts

  /// One service a store: two would do everything twice.
  private static func lock(_ storePath: String) throws -> StoreLock {
    do {
      return try StoreLock.attempt(storePath: storePath + "-service")
    } catch {
      guard error.code == .locked else { throw error }
      let holder = StoreLock.holder(storePath: storePath + "-service")
      let who = holder.map { "process \($0.pid), since \($0.since)" } ?? "another process"
      throw SyncError(.locked, "a service runs for \(storePath) already: \(who)")
    }
  }

  private func manner(of configuration: Configuration) -> Log.Manner {
    let color = invocation.arguments[.color] ?? "auto"
    var level = configuration.log.level
    if invocation.arguments.has(.verbose) { level = .debug }
    if invocation.arguments.has(.quiet) { level = .warning }
    let format = LogFormat(
      invocation.printsJSON ? .json : configuration.log.format, color: color,
      environment: invocation.environment, stream: .standardError)
    return Log.Manner(
      level: level, format: format, secrets: configuration.redaction(invocation.environment))
  }

  private func hooks(of configuration: Configuration) -> Hooks {
    Hooks(configuration.hooks, variables: HookVariables.of(configuration), trouble: trouble)
  }

  /// A socket that is listened on, and what is offered there.
  private struct Door: Sendable {
    let socket: ListenSocket
    let offer: ControlRoute.Offer
  }

  private func doors(_ configuration: Configuration) throws -> [Door] {
    let environment = invocation.environment
    var doors: [Door] = []
    let inherited = try InheritedSockets(process: getpid()) { environment[$0] }
    if let handed = inherited.socket(named: "control") {
      let socket = try ListenSocket(inherited: handed.descriptor)
      guard socket.isUnix else {
        throw ListenError(
          .configuration,
          "the socket that was handed over (\(socket.origin())) is no unix socket: whoever reaches it "
            + "could do everything; hand over ListenStream=PATH, and see service.http for the rest")
      }
      doors.append(Door(socket: socket, offer: .everything))
    } else {
      let path = configuration.controlPath(environment)
      doors.append(Door(socket: try ListenSocket(unix: path), offer: .everything))
      log.debug("answers at \(path)")
    }
    if let address = configuration.service.http {
      let socket = try ListenSocket(address)
      guard socket.isLoopback else {
        socket.close()
        throw ConfigurationError(
          file: configuration.file ?? "", key: "service.http",
          "listens on this machine only, such as 127.0.0.1:8384; others ask a proxy before it")
      }
      doors.append(Door(socket: socket, offer: .monitoring))
    }
    return doors
  }
}

extension Configuration {
  /// Where the service is asked.
  func controlPath(_ environment: Environment) -> String {
    service.socket ?? ControlSocket.path(environment)
  }
}
