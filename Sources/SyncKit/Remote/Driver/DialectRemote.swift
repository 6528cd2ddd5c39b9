import Synchronization

/// A remote that is spoken to in a dialect: everything that has the same shape for every server.
final class DialectRemote<D: Dialect>: RemoteStore {
  struct State {
    /// Asks the server for what it says of itself; every writer waits for that.
    var learning: Task<Void, any Error>?
    /// The version that was seen last, as the engine knows it.
    var version: CursorText?
  }

  let session: RemoteSession
  let dialect: D
  let state = Mutex(State())
  /// Passed by what may not be created beside others.
  let creating = Turnstile(width: 1)

  init(_ session: RemoteSession, _ type: D.Type) throws(SyncError) {
    self.session = session
    dialect = try D(try DialectContext(session, for: type))
  }

  var url: String { session.url }
  var identity: String { session.identity }
  var server: String? {
    let version = dialect.context.learned["version"]
    return version.map { "\(D.word.rawValue) \($0)" } ?? session.server
  }
  var keepsOthers: Bool { dialect.context.codec.keepsOthers }

  var clockSkew: ClockSkew? { session.skew }

  var traffic: HTTPTraffic { session.transport.traffic }

  /// Several of the server's requests make one of ours, which this remote takes apart itself.
  var limits: RemoteLimits {
    get async {
      let traits = dialect.traits
      let concurrency = session.options.concurrency
      return RemoteLimits(
        writesPerRequest: traits.writesPerRequest == 1
          ? traits.writesAtOnce : min(max(4 * traits.writesPerRequest, 100), 1000),
        fetchesPerRequest: traits.fetchesPerRequest == 1 ? concurrency : traits.fetchesPerRequest,
        bytesPerRequest: 16 << 20, concurrency: concurrency)
    }
  }

  var conditionalWrites: Bool? {
    get async { dialect.honoursConditions }
  }

  func probe() async throws {
    do {
      try await session.probe(try dialect.probe(), dialect.syntax)
    } catch let error as SyncError {
      throw inWords(error)
    }
    try await dialect.proveAccess()
  }

  /// An error with what its status means on this kind of server.
  func inWords(_ error: SyncError) -> SyncError {
    guard let words = error.status.flatMap({ dialect.words(of: $0) }) else { return error }
    var error = error
    error.message = "\(session.url): \(words) (\(error.message))"
    return error
  }

  func closeIdleConnections() { session.transport.closeIdleConnections() }

  /// Asks the server once for what it says of itself.
  func learn() async throws {
    let task = state.withLock { state in
      let task = state.learning ?? Task { [dialect] in try await dialect.learn() }
      state.learning = task
      return task
    }
    do {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      // What could not be asked is asked again by the next one.
      state.withLock { if $0.learning == task { $0.learning = nil } }
      throw error
    }
  }

  func facts() async throws -> [String] {
    try await learn()
    let traits = dialect.traits
    var facts = [
      traits.conditions == .carried
        ? "writes carry their conditions"
        : dialect.honoursConditions == nil
          ? "records are looked at right before they are written; conditions are tried by the first"
          : dialect.honoursConditions == true
            ? "records are looked at right before they are written, and writes carry conditions"
            : "no conditions: records are looked at right before they are written",
      traits.writesPerRequest == 1
        ? "a request a write" : "\(traits.writesPerRequest) writes a request",
    ]
    if (try? dialect.changes(since: "")) != nil { facts.append("tells what changed") }
    if let version = dialect.context.learned["version"] { facts.append("version \(version)") }
    return facts
  }
}

/// A version of a collection as the base keeps it: the server's own, and how many writes of our own
/// came after it.
struct CursorText: Sendable, Equatable {
  var version: String
  var writes = 0

  init(version: String) {
    self.version = version
  }

  init?(_ text: CollectionVersion) {
    guard let space = text.raw.lastIndex(of: " "),
      let writes = Int(text.raw[text.raw.index(after: space)...])
    else { return nil }
    version = String(text.raw[..<space])
    self.writes = writes
  }

  var text: CollectionVersion { CollectionVersion("\(version) \(writes)") }
}
