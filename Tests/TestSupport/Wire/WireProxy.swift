import Dispatch
import SyncKit
import Synchronization

/// Stands between a client and a real server, passes everything on, and breaks what a test chooses.
public final class WireProxy: Sendable {
  public enum Fault: Sendable {
    /// The connection is reset, and the server never hears of the request.
    case lost
    /// The server carries the request out, and its answer is lost.
    case answerLost
    /// The proxy answers in its place.
    case status(Int)
  }

  private final class Box: Sendable {
    let fault = Mutex((@Sendable (WireRequest) -> Fault?)?.none)
  }

  private let box = Box()
  public let wire: WireServer
  private let path: String

  /// - Parameter target: what stands behind it; the path is kept.
  public init(to target: String) throws {
    let box = box
    let parts = target.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let origin = parts[..<3].joined(separator: "/")
    path = parts.count > 3 ? "/" + parts[3] : ""
    let transport = CurlTransport()
    let host = String(parts[2])
    wire = try WireServer(lifetime: .seconds(600)) { request in
      let fault = box.fault.withLock { $0 }?(request)
      switch fault {
      case .lost?: return .reset
      case .status(let status)?: return .response(status)
      case .answerLost?, nil: break
      }
      var passed = HTTPRequest(
        HTTPMethod(rawValue: request.method) ?? .get, origin + request.target,
        headers: request.headers, body: request.body.isEmpty ? .none : .bytes(request.body))
      for name in ["Content-Length", "Connection", "Accept-Encoding", "Expect"] {
        passed.headers[name] = nil
      }
      // So that the links it gives lead back here.
      passed.headers["Host"] = request.headers["Host"] ?? host
      guard let answer = Self.wait(for: passed, over: transport) else { return .reset }
      if case .answerLost? = fault { return .reset }
      var headers = answer.headers
      for name in ["Content-Length", "Connection", "Transfer-Encoding", "Content-Encoding"] {
        headers[name] = nil
      }
      return .response(answer.status, headers: headers, bytes: answer.body)
    }
  }

  /// The same collection, through here.
  public var url: String { wire.url + path }

  /// Asked with each request.
  public func setFault(_ fault: (@Sendable (WireRequest) -> Fault?)?) {
    box.fault.withLock { $0 = fault }
  }

  /// The connection's own thread waits.
  private static func wait(
    for request: HTTPRequest, over transport: CurlTransport
  ) -> HTTPResponse? {
    let semaphore = DispatchSemaphore(value: 0)
    let share = Share()
    Task {
      let response = try? await transport.send(request)
      share.value.withLock { $0 = response }
      semaphore.signal()
    }
    semaphore.wait()
    return share.value.withLock { $0 }
  }
}

private final class Share: Sendable {
  let value = Mutex(HTTPResponse?.none)
}
