/// Sends requests. The role; `CurlTransport` is the means.
///
/// What every implementation promises, and the contract suite checks:
/// - Any number of requests may be under way at once; they share few connections.
/// - Cancelling the task that waits for a request stops the transfer itself and throws
///   `CancellationError`.
/// - A redirect is followed for GET and HEAD within one origin only, at most ten times; any other
///   3xx is returned as it came.
/// - A response whose body breaks off, or unpacks to more than `responseLimit`, throws; it is never
///   returned as a shorter body.
/// - Statuses are not errors: a 500 is returned.
public protocol HTTPTransport: Sendable {
  /// Sends a request and gathers the body of the response in memory.
  ///
  /// - Throws: `TransportError`, or `CancellationError`.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse

  /// Sends a request and hands over the body as it arrives, in order.
  ///
  /// `head` is called once, before the first chunk; `body` once for each chunk, and while it runs
  /// the connection is held back rather than memory filled. What either throws stops the transfer
  /// and is thrown on.
  func stream(
    _ request: HTTPRequest,
    head: @Sendable (HTTPResponseHead) async throws -> Void,
    body: @Sendable ([UInt8]) async throws -> Void
  ) async throws

  /// What has crossed the wire so far.
  var traffic: HTTPTraffic { get }

  /// Closes idle connections, so that the next request opens a fresh one (after a suspend, say).
  /// Responses that are followed end with `connectionLost`.
  func closeIdleConnections()
}

/// Counts of what crossed the wire, heads and bodies, as they were sent: compressed where they were.
public struct HTTPTraffic: Sendable, Equatable {
  public var requests = 0
  public var bytesSent: Int64 = 0
  public var bytesReceived: Int64 = 0

  public init() {}
}

/// Why no response came, or none that was whole.
public struct TransportError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Equatable {
    /// The name of the host is not known, or no name server answered.
    case nameNotResolved
    /// No connection: refused, unreachable, reset before an answer, or a proxy that failed.
    case cannotConnect
    /// The connection was lost, after the request may have been carried out.
    case connectionLost
    /// No byte came within the time allowed.
    case timedOut
    /// The body of the response ended before its end.
    case truncatedBody
    /// The server's certificate is not trusted, or ours is not usable. Never a reason to go on.
    case untrusted
    /// The answer is not HTTP, or past a limit.
    case malformedResponse
    /// The body unpacks to more than was allowed.
    case tooLarge
    /// The request cannot be sent as it is: a bad URL, a file that cannot be read.
    case invalidRequest
  }

  public var code: Code
  public var url: String
  /// What happened, for people; no secrets.
  public var message: String
  /// Bytes of the body that had come, unpacked.
  public var bytesReceived: Int64

  public init(_ code: Code, url: String, message: String, bytesReceived: Int64 = 0) {
    self.code = code
    self.url = url
    self.message = message
    self.bytesReceived = bytesReceived
  }

  public var description: String { "\(url): \(message)" }
}
