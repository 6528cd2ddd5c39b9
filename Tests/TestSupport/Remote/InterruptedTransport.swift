public import SyncKit
import Synchronization

/// A transport on which requests fail that a test chooses, before or after they were carried out.
public final class InterruptedTransport: HTTPTransport {
  public enum Fault: Sendable {
    /// The request never leaves.
    case unreachable
    /// It is carried out, and its answer is lost.
    case answerLost
    /// A proxy answers in the server's place.
    case status(Int)
    /// The answer breaks off in the middle.
    case cut
  }

  private let base: any HTTPTransport
  private let state = Mutex((number: 0, fault: (@Sendable (Int, HTTPRequest) -> Fault?)?.none))

  public init(_ base: any HTTPTransport) {
    self.base = base
  }

  /// Asked before each request, with its number from 1.
  public func setFault(_ fault: (@Sendable (Int, HTTPRequest) -> Fault?)?) {
    state.withLock { $0 = (0, fault) }
  }

  public var traffic: HTTPTraffic { base.traffic }

  public func closeIdleConnections() { base.closeIdleConnections() }

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
    let fault = state.withLock { state in
      state.number += 1
      return state.fault?(state.number, request)
    }
    switch fault {
    case nil: try await base.stream(request, head: head, body: body)
    case .unreachable?: throw TransportError.scripted(.cannotConnect, request)
    case .status(let status)?:
      try await head(HTTPResponseHead(status: status, url: request.url))
    case .answerLost?:
      _ = try await base.send(request)
      throw TransportError.scripted(.connectionLost, request)
    case .cut?:
      let response = try await base.send(request)
      try await head(response.head)
      if response.body.count > 1 {
        try await body(Array(response.body[..<(response.body.count / 2)]))
      }
      throw TransportError(
        .truncatedBody, url: request.url, message: "cut", bytesReceived: 1)
    }
  }
}
