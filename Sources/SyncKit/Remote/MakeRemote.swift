/// Makes the remote that the options describe.
///
/// - Parameters:
///   - clock: what retries wait by.
///   - random: numbers from 0 up to 1, for the jitter of retries.
///   - now: the time of day; nil for the system's.
/// - Throws: `SyncError` with `.configuration` when the options cannot be used. Credentials are
///   asked for by the first request only.
public func makeRemote(
  _ options: RemoteOptions, transport: any HTTPTransport,
  clock: any Clock<Duration> = ContinuousClock(),
  random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
  now: (@Sendable () -> Timestamp)? = nil
) throws(SyncError) -> any RemoteStore {
  guard (1...64).contains(options.concurrency) else {
    throw SyncError(.configuration, "remote.concurrency is from 1 to 64")
  }
  let clock = RemoteClock(clock, random: random, now: now)
  let session = RemoteSession(options, transport: transport, clock: clock)
  if let error = session.misconfigured { throw error }
  switch options.dialect {
  case .rest: return RESTRemote(session)
  case .syncd: return SyncdRemote(session)
  case .auto:
    let address = try session.collection()
    let type = dialects.first { $0.recognises(address) }
    return try type.map { (type) throws(SyncError) in try type.remote(session) }
      ?? AutoRemote(session)
  default:
    guard let type = dialects.first(where: { $0.word == options.dialect }) else {
      throw SyncError(.configuration, "remote.dialect: \(options.dialect.rawValue) is not known")
    }
    return try type.remote(session)
  }
}

/// The servers that are spoken to through `DialectRemote`.
let dialects: [any Dialect.Type] = [
  KintoDialect.self,
  CouchDialect.self,
  PostgRESTDialect.self,
  PocketBaseDialect.self,
  FirestoreDialect.self,
  WebDAVDialect.self,
]

extension Dialect {
  static func remote(_ session: RemoteSession) throws(SyncError) -> any RemoteStore {
    try DialectRemote(session, Self.self)
  }
}
