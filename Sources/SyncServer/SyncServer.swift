internal import HTTPServer
internal import SyncKit
import Synchronization

/// The reference remote store: a collection of projects over HTTP, kept in SQLite, for one machine.
///
/// It answers from its making until `stop()`. `config/openapi.yaml` is its contract.
public final class SyncServer: Sendable {
  /// The collection, with the port that is really listened on: `http://127.0.0.1:8383/v1/projects`.
  public let url: String
  /// The tokens it knows; also to be changed from another process, see `TokenStore`.
  public let tokens: TokenStore
  private let gate: Gate
  private let announcements: Announcements
  private let daemon: Daemon
  /// One server a file: two would answer with versions of their own.
  private let lock: StoreLock

  /// Opens the store and starts to listen.
  ///
  /// - Throws: `ServerError`: an address other than loopback is refused while there is no token, and
  ///   a store that another server serves already.
  public init(_ options: Options) throws(ServerError) {
    let tls: TLSFiles?
    let socket: ListenSocket
    do {
      _ = try ListenSocket.split(options.listen)
      tls = try TLSFiles(certificate: options.certificate, key: options.key)
    } catch {
      throw ServerError(error)
    }
    let store = try ProjectStore(path: options.storePath)
    lock = try Self.lock(options.storePath)
    tokens = TokenStore(store: store)
    do {
      socket = try ListenSocket(options.listen)
    } catch {
      throw ServerError(error)
    }
    gate = Gate(
      tokens: tokens, isLoopback: socket.isLoopback,
      requestsPerSecond: options.limits.requestsPerSecond)
    let isGuarded = try tokens.hasAny()
    guard socket.isLoopback || isGuarded else {
      socket.close()
      throw ServerError(
        .configuration,
        """
        \(options.listen) can be reached by others, and no token guards the store: make one with \
        `syncd serve token add --space NAME --access write`, or listen on 127.0.0.1
        """)
    }
    let service = Service(store: store, gate: gate, options: options)
    announcements = service.announcements
    do {
      daemon = try Daemon(
        socket: socket, service: service, limits: DaemonLimits(options.limits), tls: tls)
    } catch {
      throw ServerError(error)
    }
    url = socket.origin(isTLS: tls != nil) + "/v1/projects"
  }

  /// Whether whoever reaches the address may read and write without a token, in the space
  /// `default`: on loopback, as long as no token was ever made.
  public var isOpen: Bool { (try? gate.isOpen()) ?? false }

  /// Stops listening and closes every connection; returns when no request is under way any more.
  /// What was acknowledged is in the store. Stopping twice is stopping once.
  public func stop() {
    announcements.close()
    daemon.stop()
    lock.release()
  }

  private static func lock(_ path: String) throws(ServerError) -> StoreLock {
    do {
      return try StoreLock.attempt(storePath: path)
    } catch {
      guard error.code == .locked else { throw ServerError(.store, error.message) }
      throw ServerError(
        .locked,
        StoreLock.holder(storePath: path).map {
          "process \($0.pid) serves \(path) already, since \($0.since); end it, or name another store"
        } ?? error.message)
    }
  }
}

extension DaemonLimits {
  fileprivate init(_ limits: SyncServer.Limits) {
    self.init(
      threads: limits.threads, connections: limits.connections, idleSeconds: limits.idleSeconds)
  }
}
