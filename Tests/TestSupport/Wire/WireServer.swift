internal import Synchronization

/// A scriptable HTTP/1.1 server on raw sockets, which can do all that a good server would not.
///
///     let server = try WireServer { request in
///       request.path == "/slow" ? .wait(gate) + .response(200) : .json("[]")
///     }
///     … server.url … server.requests
///
/// It listens on 127.0.0.1 alone, serves each connection on a thread of its own, and is bounded in
/// connections and in life time. It stops when it is let go of.
public final class WireServer: Sendable {
  /// Answers a request that has come whole. Called on the connection's thread, and may block.
  public typealias Handler = @Sendable (WireRequest) -> WireScript
  /// Answers a request of which only the head has come, or nil to read on.
  public typealias EarlyHandler = @Sendable (WireRequest) -> WireScript?

  private let core: WireCore
  private let file: String?
  /// 0 for a socket file.
  public let port: Int
  /// The server's origin without a slash at its end: `http://127.0.0.1:PORT`, or
  /// `unix:PATH:` for a socket file.
  public let url: String

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - file: a socket file to listen on, instead of a port of 127.0.0.1.
  ///   - connections: how many may be open at once; more are closed as they come.
  ///   - isMute: takes connections, and neither reads nor writes.
  ///   - lifetime: after it the server stops, whatever its owner does.
  public init(
    file: String? = nil, connections: Int = 64, lifetime: Duration = .seconds(120),
    isMute: Bool = false,
    _ handler: @escaping Handler, early: EarlyHandler? = nil
  ) throws {
    let socket: WireSocket
    self.file = file
    if let file {
      socket = try WireSocket.onFile(file)
      port = 0
      url = "unix:\(file):"
    } else {
      (socket, port) = try WireSocket.onLoopback()
      url = "http://127.0.0.1:\(port)"
    }
    core = WireCore(
      socket: socket, limit: connections, lifetime: lifetime, isMute: isMute, early: early,
      handler: handler)
    try core.start()
  }

  deinit { stop() }

  /// Closes every connection, listens no more and removes the socket file.
  public func stop() {
    core.stop()
    if let file { WireSocket.removeFile(file) }
  }

  /// Every request so far, in the order in which their heads came.
  public var requests: [WireRequest] { core.state.withLock { $0.requests } }

  /// The requests that may have changed something.
  public var writes: [WireRequest] { requests.filter(\.isWrite) }

  /// Connections taken so far, open or not.
  public var connections: Int { core.state.withLock { $0.accepted } }

  /// Connections that are open now.
  public var openConnections: Int { core.state.withLock { $0.open.count } }

  /// Bytes that clients' connections have taken so far.
  public var bytesSent: Int { core.state.withLock { $0.bytesSent } }

  public func forgetRequests() { core.state.withLock { $0.requests = [] } }

  /// Waits until something can be seen on the server.
  ///
  /// - Returns: false when it has not come true within the time.
  public func wait(
    atMost time: Duration = .seconds(60), until condition: @Sendable (WireServer) -> Bool
  ) async -> Bool {
    let end = ContinuousClock.now + time
    while !condition(self) {
      if ContinuousClock.now > end || Task.isCancelled { return false }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return true
  }
}
