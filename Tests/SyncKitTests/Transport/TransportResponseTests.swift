import SyncKit
import TestSupport
import Testing

@Suite("HTTPTransport: responses")
struct TransportResponseTests {
  let transport = makeTransport()

  private func get(
    limit: Int64 = 64 << 20, _ script: @escaping @autoclosure @Sendable () -> WireScript
  ) async throws -> HTTPResponse {
    let server = try WireServer { _ in script() }
    return try await transport.send(HTTPRequest(.get, server.url + "/x", responseLimit: limit))
  }

  private func failure(
    limit: Int64 = 64 << 20, _ script: @escaping @autoclosure @Sendable () -> WireScript
  ) async throws -> TransportError {
    try await transportError { _ = try await get(limit: limit, script()) }
  }

  @Test("a status is not an error", arguments: [200, 204, 304, 400, 401, 404, 412, 500, 503])
  func statuses(status: Int) async throws {
    let response = try await get(.response(status, body: "words"))
    #expect(response.status == status)
    #expect(response.body == (status == 204 || status == 304 ? [] : Array("words".utf8)))
  }

  @Test("headers come whole, in order, of the final response alone")
  func headers() async throws {
    let response = try await get(
      .raw("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n")
        + .raw(
          "HTTP/1.1 200 OK\r\nETag:\t \"5\" \r\nA: 1\r\na: 2\r\nEmpty:\r\nLong: one\r\n two\r\n")
        + .raw("Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: late\r\n\r\n"))
    #expect(response.body == Array("ok".utf8))
    #expect(response.headers["etag"] == "\"5\"")
    #expect(response.headers.values("A") == ["1", "2"])
    #expect(response.headers["Empty"] == "")
    #expect(response.headers["Long"] == "one two")
    #expect(response.headers["Link"] == nil)
    #expect(response.headers["Trailer"] == nil)
    #expect(response.head.url.hasSuffix("/x"))
  }

  @Test(
    "a body comes whole however it is cut into pieces", arguments: [1, 7, 16384, 65536, 100_001])
  func pieces(size: Int) async throws {
    let bytes = pattern(size == 1 ? 2_000 : 400_000)
    let pieces = stride(from: 0, to: bytes.count, by: size).map {
      Array(bytes[$0..<min($0 + size, bytes.count)])
    }
    #expect(try await get(.pieces(pieces, length: bytes.count)).body == bytes)
    #expect(try await get(.chunked(pieces)).body == bytes)
  }

  @Test("a body without a stated length ends with its connection")
  func untilClose() async throws {
    let response = try await get(.raw("HTTP/1.1 200 OK\r\n\r\nabc") + .close)
    #expect(response.body == Array("abc".utf8))
  }

  @Test("a body longer than its stated length is cut by HTTP")
  func longer() async throws {
    let response = try await get(.pieces([Array("abcdef".utf8)], length: 3) + .close)
    #expect(response.body == Array("abc".utf8))
  }

  @Test("a body that breaks off is never a shorter body")
  func truncated() async throws {
    let bytes = pattern(60_000)
    let scripts: [WireScript] = [
      .pieces([bytes], length: 100_000) + .close,
      .chunked([bytes], ended: false) + .close,
      .chunked([bytes], ended: false) + .raw("ffff\r\nabc") + .close,
    ]
    for script in scripts {
      let error = try await failure(script)
      #expect(error.code == .truncatedBody, "\(error)")
      #expect(error.bytesReceived >= 60_000)
      #expect(error.url.hasSuffix("/x"))
    }
  }

  @Test("a reset in the middle of the body is a body that broke off")
  func resetInBody() async throws {
    let error = try await failure(.pieces([pattern(10)], length: 100_000) + .reset)
    #expect(error.code == .truncatedBody, "\(error)")
  }

  @Test("a connection that ends before the head was lost")
  func lost() async throws {
    let cut: WireScript = .raw("HTTP/1.1 200 OK\r\nA: b\r\n") + .close
    for script in [.close, .reset, cut] {
      let error = try await failure(script)
      #expect(error.code == .connectionLost, "\(error)")
    }
  }

  @Test(
    "what is not HTTP is not taken for it",
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n", "<html>\r\n\r\n", "HTTP/1.1 abc Nope\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: three\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: 3x\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 3\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
    ])
  func malformed(text: String) async throws {
    let error = try await failure(.raw(text) + .close)
    #expect(error.code == .malformedResponse, "\(error)")
  }

  @Test("a head without end is given up")
  func longHead() async throws {
    let line = "X-Line: \(String(repeating: "v", count: 1000))\r\n"
    let lines = try await failure(
      .raw("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 2000)) + .ignore)
    #expect(lines.code == .malformedResponse, "\(lines)")
    let one = try await failure(
      .raw("HTTP/1.1 200 OK\r\nX: " + String(repeating: "v", count: 2_000_000)) + .ignore)
    #expect(one.code == .malformedResponse, "\(one)")
  }

  @Test("a body past the limit is refused, whether its length is stated or not")
  func limit() async throws {
    let bytes = pattern(1000)
    #expect(try await get(limit: 1000, .pieces([bytes], length: 1000)).body == bytes)
    #expect(try await get(limit: 1000, .chunked([bytes])).body == bytes)
    let scripts: [[WireScript]] = [
      [.pieces([bytes], length: 1001), .ignore],
      [.chunked([bytes, [0]]), .ignore],
      [.pieces([bytes], length: 1 << 62), .ignore],
    ]
    for script in scripts.map({ WireScript($0.flatMap(\.steps)) }) {
      #expect(try await failure(limit: 1000, script).code == .tooLarge)
    }
  }

  @Test("a HEAD has no body, whatever length is stated")
  func head() async throws {
    let server = try WireServer { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n") }
    let response = try await transport.send(HTTPRequest(.head, server.url, responseLimit: 10))
    #expect(response.headers["Content-Length"] == "99999")
    #expect(response.body.isEmpty)
  }
}
