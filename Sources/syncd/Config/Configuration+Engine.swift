import SyncKit

extension Configuration {
  /// The remote, ready to be spoken to. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - store: what it learned of the remote before is not found out again.
  ///   - retryFor: how long trouble is retried, before what is configured.
  /// - Throws: `ConfigurationError`, `SyncError`.
  func makeRemote(
    for store: LocalStore? = nil, retryFor: Duration? = nil
  ) async throws -> any RemoteStore {
    var options = RemoteOptions(url: try remoteURL())
    let known = try await store?.capabilities(remote: options.url)
    (options.honoursConditions, options.server) = (known?.honoursConditions, known?.server)
    options.dialect = remote.dialect
    if let authorization = remote.authorization { options.credentials = authorization.source }
    options.fields = remote.fields
    options.ids = remote.ids
    for header in remote.headers { options.headers.add(header.name, header.value) }
    options.listAt = remote.listAt
    options.nextAt = remote.nextAt
    options.query = remote.query
    options.allowsInsecure = remote.allowsInsecure
    options.concurrency = remote.concurrency
    if let duration = retryFor ?? remote.retryFor { options.retryFor = duration }
    var wire = CurlTransport.Options()
    wire.connectTimeout = remote.connectTimeout
    wire.idleTimeout = remote.idleTimeout
    wire.concurrency = remote.concurrency
    wire.caFile = remote.tls.ca
    wire.certificateFile = remote.tls.certificate
    wire.keyFile = remote.tls.key
    return try SyncKit.makeRemote(options, transport: CurlTransport(wire))
  }

  /// How a run reconciles; guards are lifted by flags alone.
  var syncOptions: SyncOptions {
    var options = SyncOptions(
      direction: direction, deletions: deletions, conflicts: conflicts, guards: guards)
    options.historyKeep = historyKeep
    return options
  }
}
