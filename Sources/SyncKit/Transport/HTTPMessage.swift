/// The methods that remotes are spoken to with.
public enum HTTPMethod: String, Sendable {
  case get = "GET"
  case head = "HEAD"
  case put = "PUT"
  case post = "POST"
  case delete = "DELETE"
  case patch = "PATCH"
  /// WebDAV, RFC 4918.
  case propfind = "PROPFIND"
  case makeCollection = "MKCOL"
}

/// Header fields in the order they were set; names compare without regard to case (RFC 9110, 5.1).
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  public private(set) var fields: [(name: String, value: String)] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { ($0.0, $0.1) }
  }

  /// The first value of a field; setting replaces every value, nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.matches($0.name, name) }?.value }
    set {
      fields.removeAll { Self.matches($0.name, name) }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  /// Every value of a field, in order.
  public func values(_ name: String) -> [String] {
    fields.filter { Self.matches($0.name, name) }.map(\.value)
  }

  /// Adds a value and keeps those there are.
  public mutating func add(_ name: String, _ value: String) {
    fields.append((name, value))
  }

  private static func matches(_ lhs: String, _ rhs: String) -> Bool {
    lhs.utf8.count == rhs.utf8.count
      && zip(lhs.utf8, rhs.utf8).allSatisfy { ($0 | 0x20) == ($1 | 0x20) }
  }
}

/// One request.
public struct HTTPRequest: Sendable {
  public enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// Pulled as the connection takes it, and sent chunked; nil ends the body. A throw fails the
    /// request. A request with such a body is never repeated by the transport.
    case stream(@Sendable () async throws -> [UInt8]?)
  }

  public var method: HTTPMethod
  public var url: String
  public var headers: HTTPHeaders
  public var body: Body
  /// The most bytes that the response's body may unpack to.
  public var responseLimit: Int64

  /// The most bytes of a response that is held in memory whole. Remotes ask for less at a time, and what
  /// comes to more all the same is asked for in halves, or is an error; see `TransportError.Code.tooLarge`.
  public static let wholeResponseLimit: Int64 = 64 << 20
  /// How long it may go without one byte either way; nil for what the transport was made with.
  public var idleTimeout: Duration?
  /// Whether the response is followed for as long as it goes on, as events are. It takes none of the
  /// connections that other requests share, and `closeIdleConnections()` ends it.
  public var isFollowed = false

  public init(
    _ method: HTTPMethod = .get, _ url: String, headers: HTTPHeaders = [:], body: Body = .none,
    responseLimit: Int64 = wholeResponseLimit
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.responseLimit = responseLimit
  }
}

/// The head of a response: everything but the body.
public struct HTTPResponseHead: Sendable {
  public var status: Int
  public var headers: HTTPHeaders
  /// The URL that answered, which differs from the request's after a redirect.
  public var url: String

  public init(status: Int, headers: HTTPHeaders = [:], url: String = "") {
    self.status = status
    self.headers = headers
    self.url = url
  }

  public var isSuccess: Bool { (200..<300).contains(status) }
}

/// A response whose body is in memory.
public struct HTTPResponse: Sendable {
  public var head: HTTPResponseHead
  public var body: [UInt8]

  public init(head: HTTPResponseHead, body: [UInt8] = []) {
    self.head = head
    self.body = body
  }

  public var status: Int { head.status }
  public var headers: HTTPHeaders { head.headers }
}
