/// What is sent back.
struct Response: Sendable {
  var status: Int
  var headers: [(name: String, value: String)] = []
  var body = Body.bytes([])

  enum Body: Sendable {
    case bytes([UInt8])
    /// Pulled as the client takes it, and sent chunked; nil ends it, a throw cuts it off.
    case stream(@Sendable () throws -> [UInt8]?)
  }

  init(_ status: Int) {
    self.status = status
  }

  init(_ status: Int, type: String, body: [UInt8]) {
    self.status = status
    self.body = .bytes(body)
    headers = [("Content-Type", type)]
  }

  func adding(_ name: String, _ value: String) -> Response {
    var response = self
    response.headers.append((name, value))
    return response
  }

  func adding(_ fields: [(name: String, value: String)]) -> Response {
    var response = self
    response.headers.append(contentsOf: fields)
    return response
  }
}
