import SyncKit

/// A store, its remote and the engine between them, as one configuration says it.
struct ServiceSite: Sendable {
  let configuration: Configuration
  let store: LocalStore
  let engine: SyncEngine

  /// - Parameter store: one that is open already; nil opens it, making the file where there is none.
  /// - Throws: `ConfigurationError`, `SyncError`.
  init(_ configuration: Configuration, store: LocalStore? = nil) async throws {
    _ = try configuration.remoteURL()
    let store = try store ?? LocalStore(path: configuration.store)
    // The service has a back-off of its own, which knows of the network and is seen from outside.
    let remote = try await configuration.makeRemote(
      for: store, retryFor: configuration.remote.retryFor ?? .seconds(2))
    self.configuration = configuration
    self.store = store
    engine = SyncEngine(store: store, remote: remote, options: configuration.syncOptions)
  }

  /// How the service goes about it.
  var options: ServiceOptions {
    var options = ServiceOptions(
      interval: configuration.service.interval, debounce: configuration.service.debounce)
    options.stopLimit = Self.stopLimit
    return options
  }

  /// What a run that is under way is given when the service is asked to end.
  static let stopLimit = Duration.seconds(20)

  /// A remote on this machine is there without any network.
  var isLocal: Bool { RemoteOptions.isOnThisMachine(engine.remote.url) }

  /// What tells whether the remote can be there.
  var connectivity: any Connectivity { isLocal ? ManualConnectivity() : .system }
}
