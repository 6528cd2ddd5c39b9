public import SyncKit
import Synchronization

/// What a server double says, and where its answer breaks off.
public struct ScriptedAnswer: Sendable {
  public var status: Int
  public var headers: HTTPHeaders
  public var body: [UInt8]
  /// The answer ends with this error once so many bytes of the body were sent.
  public var breaks: (after: Int, code: TransportError.Code)?

  public init(
    _ status: Int, headers: HTTPHeaders = [:], body: String = "", type: String? = nil
  ) {
    self.init(status, headers: headers, bytes: Array(body.utf8), type: type)
  }

  public init(_ status: Int, headers: HTTPHeaders = [:], bytes: [UInt8], type: String? = nil) {
    (self.status, self.headers, body) = (status, headers, bytes)
    if let type { self.headers["Content-Type"] = type }
  }

  public static func json(
    _ body: String, status: Int = 200, headers: HTTPHeaders = [:]
  ) -> ScriptedAnswer {
    ScriptedAnswer(status, headers: headers, body: body, type: "application/json")
  }

  /// The same answer, whose connection breaks after so many bytes of the body.
  public func broken(
    after bytes: Int, _ code: TransportError.Code = .truncatedBody
  ) -> ScriptedAnswer {
    var answer = self
    answer.breaks = (bytes, code)
    return answer
  }
}

/// A transport whose other end is a function in this process.
public final class ScriptedTransport: HTTPTransport {
  private let handler: @Sendable (HTTPRequest, Int) async throws -> ScriptedAnswer
  private let state = Mutex((requests: [HTTPRequest](), traffic: HTTPTraffic()))
  /// Bytes of a chunk of a streamed body.
  private let chunk: Int

  /// - Parameter handler: is given each request with its number, from 1; throws what the transport
  ///   is to throw.
  public init(
    chunk: Int = 1000,
    _ handler: @escaping @Sendable (HTTPRequest, Int) async throws -> ScriptedAnswer
  ) {
    (self.chunk, self.handler) = (chunk, handler)
  }

  /// Every request so far.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  public var traffic: HTTPTraffic { state.withLock { $0.traffic } }

  public func closeIdleConnections() {}

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let received = Mutex(HTTPResponse(head: HTTPResponseHead(status: 0)))
    try await stream(request) { head in
      received.withLock { $0.head = head }
    } body: { bytes in
      received.withLock { $0.body += bytes }
    }
    return received.withLock { $0 }
  }

  public func stream(
    _ request: HTTPRequest, head: @Sendable (HTTPResponseHead) async throws -> Void,
    body: @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.requests.append(request)
      state.traffic.requests += 1
      return state.requests.count
    }
    let answer = try await handler(request, number)
    try Task.checkCancellation()
    try await head(
      HTTPResponseHead(status: answer.status, headers: answer.headers, url: request.url))
    let end = answer.breaks.map { min($0.after, answer.body.count) } ?? answer.body.count
    for start in stride(from: 0, to: end, by: chunk) {
      let bytes = Array(answer.body[start..<min(start + chunk, end)])
      guard start + bytes.count <= request.responseLimit else {
        throw TransportError(
          .tooLarge, url: request.url, message: "the body is over the limit",
          bytesReceived: Int64(start))
      }
      state.withLock { $0.traffic.bytesReceived += Int64(bytes.count) }
      try await body(bytes)
    }
    if let breaks = answer.breaks {
      throw TransportError(
        breaks.code, url: request.url, message: "the connection was lost",
        bytesReceived: Int64(end))
    }
  }
}

extension TransportError {
  /// The error of a request that found no server.
  public static func scripted(_ code: Code, _ request: HTTPRequest) -> TransportError {
    TransportError(code, url: request.url, message: "scripted \(code)")
  }
}
