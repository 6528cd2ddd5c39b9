public import SyncKit
internal import Synchronization

/// What a server does with one request, step by step. Where no step closes the connection, it is
/// kept for the next request.
public struct WireScript: Sendable, ExpressibleByArrayLiteral {
  public enum Step: Sendable {
    /// A whole response with its `Content-Length`; the body is left out where HTTP wants it so.
    case response(status: Int, headers: HTTPHeaders, body: [UInt8])
    /// Bytes as they are.
    case send([UInt8])
    /// Nothing happens until the gate opens, the client goes away or the server stops.
    case wait(WireGate)
    /// Opens a gate, for others to see how far the script has come.
    case open(WireGate)
    /// Nothing happens until the client goes away or the server stops.
    case waitForClose
    /// Closes the connection in an orderly way (FIN).
    case close
    /// Breaks the connection off (RST).
    case reset
    /// In an early script: reads the body and lets the ordinary handler go on.
    case proceed
  }

  public var steps: [Step]

  public init(_ steps: [Step]) { self.steps = steps }

  public init(arrayLiteral elements: Step...) { steps = elements }

  public static func + (lhs: WireScript, rhs: WireScript) -> WireScript {
    WireScript(lhs.steps + rhs.steps)
  }
}

extension WireScript {
  public static func response(
    _ status: Int, headers: HTTPHeaders = [:], body: String = ""
  ) -> WireScript {
    [.response(status: status, headers: headers, body: Array(body.utf8))]
  }

  public static func response(
    _ status: Int, headers: HTTPHeaders = [:], bytes: [UInt8]
  ) -> WireScript {
    [.response(status: status, headers: headers, body: bytes)]
  }

  public static func json(
    _ text: String, status: Int = 200, headers: HTTPHeaders = [:]
  ) -> WireScript {
    var headers = headers
    headers["Content-Type"] = "application/json"
    return .response(status, headers: headers, body: text)
  }

  public static func redirect(_ status: Int = 302, to location: String) -> WireScript {
    .response(status, headers: ["Location": location])
  }

  /// A chunked response; without its end it must be followed by `.close`.
  public static func chunked(
    _ pieces: [[UInt8]], status: Int = 200, headers: HTTPHeaders = [:], ended: Bool = true
  ) -> WireScript {
    var script = raw(head(status, headers, "Transfer-Encoding: chunked\r\n"))
    for piece in pieces where !piece.isEmpty {
      let size = String(piece.count, radix: 16)
      script.steps.append(.send(Array("\(size)\r\n".utf8) + piece + Array("\r\n".utf8)))
    }
    if ended { script.steps.append(.send(Array("0\r\n\r\n".utf8))) }
    return script
  }

  /// A response that says it has `length` bytes, and these pieces of it, one at a time.
  public static func pieces(
    _ pieces: [[UInt8]], length: Int, status: Int = 200, headers: HTTPHeaders = [:]
  ) -> WireScript {
    raw(head(status, headers, "Content-Length: \(length)\r\n"))
      + WireScript(pieces.map { .send($0) })
  }

  /// Characters as they are.
  public static func raw(_ text: String) -> WireScript { [.send(Array(text.utf8))] }

  public static var close: WireScript { [.close] }
  public static var reset: WireScript { [.reset] }
  /// Never answers.
  public static var ignore: WireScript { [.waitForClose] }
  public static var proceed: WireScript { [.proceed] }

  public static func wait(_ gate: WireGate) -> WireScript { [.wait(gate)] }
  public static func open(_ gate: WireGate) -> WireScript { [.open(gate)] }

  static func head(_ status: Int, _ headers: HTTPHeaders, _ framing: String) -> String {
    let fields = headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    return "HTTP/1.1 \(status) \(reasons[status] ?? "Status")\r\n\(fields)\(framing)\r\n"
  }

  private static let reasons = [
    200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found",
    304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 409: "Conflict", 410: "Gone", 412: "Precondition Failed",
    413: "Content Too Large", 422: "Unprocessable Content", 429: "Too Many Requests",
    500: "Internal Server Error", 503: "Service Unavailable",
  ]
}

/// Holds scripts back until it is opened, once and for all.
public final class WireGate: Sendable {
  private let opened = Atomic(false)

  public init() {}

  public var isOpen: Bool { opened.load(ordering: .acquiring) }

  public func open() { opened.store(true, ordering: .releasing) }
}
