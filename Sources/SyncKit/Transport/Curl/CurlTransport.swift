internal import Synchronization

/// Sends requests with libcurl: HTTP/1.1, and HTTP/2 where a server offers it over TLS.
///
/// One thread of its own drives every transfer; it starts with the first request and ends with the
/// transport. A URL of the form `unix:/path/to.sock:/v1/projects` speaks through a socket file.
/// Proxies come from the environment (`https_proxy`, `http_proxy`, `no_proxy`). `~/.netrc` is not
/// read, cookies are not kept, and certificates are always checked.
public final class CurlTransport: HTTPTransport {
  public struct Options: Sendable {
    /// From the look-up of the name to the end of the TLS handshake.
    public var connectTimeout: Duration = .seconds(10)
    /// How long a request may go without one byte either way. There is no limit on the whole.
    public var idleTimeout: Duration = .seconds(30)
    /// The most connections to one host, at least 1; further requests wait.
    public var concurrency = 8
    /// A file of PEM certificates to trust, instead of the system's.
    public var caFile: String?
    /// Our own certificate and its key, PEM.
    public var certificateFile: String?
    public var keyFile: String?
    /// Names resolved beforehand, as curl's `--resolve` has them: `host:port:address,address`.
    package var resolve: [String] = []

    public init() {}
  }

  private let queue: CurlQueue

  public init(_ options: Options = .init()) {
    queue = CurlQueue(options)
  }

  deinit { queue.stop() }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let transfer = CurlTransfer(request)
    guard case .stream(let pull) = request.body else { return try await response(of: transfer) }
    return try await feeding(transfer, from: pull) { try await self.response(of: transfer) }
  }

  public func stream(
    _ request: HTTPRequest,
    head: @Sendable (HTTPResponseHead) async throws -> Void,
    body: @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    let transfer = CurlTransfer(request)
    guard case .stream(let pull) = request.body else {
      return try await parts(of: transfer, head: head, body: body)
    }
    try await feeding(transfer, from: pull) {
      try await self.parts(of: transfer, head: head, body: body)
    }
  }

  public var traffic: HTTPTraffic { queue.traffic.withLock { $0 } }

  /// Ends every request under way with `CancellationError`, closes all connections, and returns once
  /// the transport's thread is gone, which takes milliseconds. A request made later fails.
  ///
  /// A transport that is dropped ends its thread too, but nobody waits for that. Call this before
  /// `exit`, whose handlers take down what OpenSSL needs while a thread may still be leaving.
  public func close() { queue.close() }

  public func closeIdleConnections() { queue.post(.closeIdle) }

  private func response(of transfer: CurlTransfer) async throws -> HTTPResponse {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        transfer.sink = .whole(continuation)
        queue.post(.start(transfer))
      }
    } onCancel: {
      queue.post(.cancel(transfer))
    }
  }

  private func parts(
    of transfer: CurlTransfer,
    head: @Sendable (HTTPResponseHead) async throws -> Void,
    body: @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    let mailbox = CurlMailbox(resume: resumption(of: transfer))
    transfer.sink = .parts(mailbox)
    try await withTaskCancellationHandler {
      queue.post(.start(transfer))
      do {
        while let part = try await mailbox.next() {
          switch part {
          case .head(let value): try await head(value)
          case .bytes(let bytes): try await body(bytes)
          }
        }
      } catch {
        queue.post(.cancel(transfer))
        throw error
      }
    } onCancel: {
      queue.post(.cancel(transfer))
    }
  }

  /// Weak, since the transfer holds what calls it.
  private func resumption(of transfer: CurlTransfer) -> @Sendable () -> Void {
    { [queue, weak transfer] in
      if let transfer { queue.post(.resume(transfer)) }
    }
  }

  /// Pulls a request's body beside the transfer that sends it.
  private func feeding<Value: Sendable>(
    _ transfer: CurlTransfer, from pull: @escaping @Sendable () async throws -> [UInt8]?,
    _ operation: () async throws -> Value
  ) async throws -> Value {
    let upload = CurlUpload(resume: resumption(of: transfer))
    transfer.upload = upload
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [queue] in
        do {
          try await upload.pump(pull)
        } catch {
          queue.post(.fail(transfer, error))
        }
      }
      defer { group.cancelAll() }
      return try await operation()
    }
  }
}
