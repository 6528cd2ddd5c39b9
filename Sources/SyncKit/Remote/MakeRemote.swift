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
  return switch options.dialect {
  case .rest: RESTRemote(session)
  case .syncd: SyncdRemote(session)
  case .auto: AutoRemote(session)
  }
}
