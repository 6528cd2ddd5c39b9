/// What is sent back.
package struct Response: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)] = []
  package var body = Body.bytes([])

  package enum Body: Sendable {
    case bytes([UInt8])
    /// Pulled as the client takes it, and sent chunked; nil ends it, a throw cuts it off.
    case stream(@Sendable () throws -> [UInt8]?)
    /// Server-sent events: sent as they are put in, for as long as the client follows. The follower
    /// is done with when the connection is.
    case events(FeedFollower)
  }

  package init(_ status: Int) {
    self.status = status
  }

  package init(_ status: Int, type: String, body: [UInt8]) {
    self.status = status
    self.body = .bytes(body)
    headers = [("Content-Type", type)]
  }

  package func adding(_ name: String, _ value: String) -> Response {
    var response = self
    response.headers.append((name, value))
    return response
  }

  package func adding(_ fields: [(name: String, value: String)]) -> Response {
    var response = self
    response.headers.append(contentsOf: fields)
    return response
  }

  /// To be called where it will not be sent.
  func abandon() {
    if case .events(let follower) = body { follower.end() }
  }
}
