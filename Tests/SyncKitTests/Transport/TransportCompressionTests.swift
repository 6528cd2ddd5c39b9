import SyncKit
import TestSupport
import Testing

@Suite("HTTPTransport: compressed responses")
struct TransportCompressionTests {
  let transport = makeTransport()

  private static let text = #"[{"id":"a","title":""# + String(repeating: "x", count: 2000) + #""}]"#
  /// `text`, packed by gzip.
  private static let packed: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x8b, 0xae,
    0x56, 0xca, 0x4c, 0x51, 0xb2, 0x52, 0x4a, 0x54, 0xd2, 0x51, 0x2a, 0xc9,
    0x2c, 0xc9, 0x49, 0x05, 0xb2, 0x2b, 0x46, 0xc1, 0x28, 0x18, 0x05, 0xa3,
    0x60, 0x14, 0x8c, 0x82, 0x51, 0x30, 0xe4, 0x81, 0x52, 0x6d, 0x2c, 0x00,
    0x41, 0x92, 0x30, 0x12, 0xe7, 0x07, 0x00, 0x00,
  ]

  /// The start of a gzip file whose every further byte of zero unpacks to 1,032 bytes.
  private static let bombStart: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xc1,
    0x01, 0x0d, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf7, 0x4f, 0x6d, 0x0f, 0x07,
    0x14,
  ]

  private static func bomb(megabytes: Int) -> [UInt8] {
    bombStart + [UInt8](repeating: 0, count: megabytes * 1_000_000 / 1032)
  }

  private static let gzip: HTTPHeaders = ["Content-Encoding": "gzip"]

  @Test("gzip is asked for and unpacked, and counted as it came over the wire")
  func unpacks() async throws {
    let server = try WireServer { request in
      request.headers["Accept-Encoding"]?.contains("gzip") == true
        ? .response(200, headers: Self.gzip, bytes: Self.packed) : .response(400)
    }
    let response = try await transport.send(HTTPRequest(.get, server.url))
    #expect(response.body == Array(Self.text.utf8))
    #expect(try await transport.collect(HTTPRequest(.get, server.url)).bytes == response.body)
    let received = transport.traffic.bytesReceived
    #expect(await server.wait { Int64($0.bytesSent) == received })
  }

  @Test("a packed body that breaks off is never a shorter body")
  func truncated() async throws {
    let half = Array(Self.packed.prefix(40))
    let withoutTrailer = Array(Self.packed.dropLast(4))
    let scripts: [WireScript] = [
      .response(200, headers: Self.gzip, bytes: half),
      .response(200, headers: Self.gzip, bytes: withoutTrailer),
      .chunked([half], headers: Self.gzip),
      .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n") + [.send(half)] + .close,
    ]
    for (index, script) in scripts.enumerated() {
      let server = try WireServer { _ in script }
      let sent = try await transportError {
        _ = try await transport.send(HTTPRequest(.get, server.url))
      }
      #expect(sent.code == .truncatedBody, "\(index): \(sent)")
      let streamed = try await transportError {
        _ = try await transport.collect(HTTPRequest(.get, server.url))
      }
      #expect(streamed.code == .truncatedBody, "\(index): \(streamed)")
    }
  }

  @Test("an empty body may be called packed", arguments: [200, 204, 304, 404])
  func empty(status: Int) async throws {
    let server = try WireServer { _ in .response(status, headers: Self.gzip) }
    #expect(try await transport.send(HTTPRequest(.get, server.url)).body.isEmpty)
    #expect(try await transport.send(HTTPRequest(.head, server.url)).body.isEmpty)
  }

  @Test("what is called packed and is not is refused")
  func notPacked() async throws {
    let server = try WireServer { _ in
      .response(200, headers: Self.gzip, body: "<html>Sign in</html>")
    }
    let error = try await transportError {
      _ = try await transport.send(HTTPRequest(.get, server.url))
    }
    #expect(error.code == .malformedResponse, "\(error)")
  }

  @Test("a body that unpacks past its limit is refused while it unpacks")
  func limit() async throws {
    let server = try WireServer { _ in
      .response(200, headers: Self.gzip, bytes: Self.bomb(megabytes: 10))
    }
    let request = HTTPRequest(.get, server.url, responseLimit: 1 << 20)
    let sent = try await transportError { _ = try await transport.send(request) }
    #expect(sent.code == .tooLarge)
    #expect(sent.bytesReceived < 2 << 20)
    let streamed = try await transportError { _ = try await transport.collect(request) }
    #expect(streamed.code == .tooLarge)
  }

  @Test("a body that unpacks to far more than came is refused within any limit")
  func ratio() async throws {
    let server = try WireServer { _ in
      .response(200, headers: Self.gzip, bytes: Self.bomb(megabytes: 100))
    }
    let request = HTTPRequest(.get, server.url, responseLimit: .max)
    let sent = try await transportError { _ = try await transport.send(request) }
    #expect(sent.code == .tooLarge)
    #expect(sent.bytesReceived < 40 << 20)
    let streamed = try await transportError { _ = try await transport.collect(request) }
    #expect(streamed.code == .tooLarge)
  }

  @Test("a packed body is held back like any other")
  func heldBack() async throws {
    let server = try WireServer { _ in
      .response(200, headers: Self.gzip, bytes: Self.bomb(megabytes: 12)) + .ignore
    }
    let collector = Collector()
    let error = try await transportError {
      try await transport.stream(HTTPRequest(.get, server.url, responseLimit: 8 << 20)) { _ in
      } body: { bytes in
        await Task.yield()
        await collector.add(bytes)
      }
    }
    #expect(error.code == .tooLarge)
    #expect(await collector.sizes.max() ?? 0 < 512 << 10)
    #expect(await collector.bytes.count > 7 << 20)
  }

  @Test("an encoding that was not asked for is refused")
  func otherEncoding() async throws {
    let server = try WireServer { _ in
      .response(200, headers: ["Content-Encoding": "br"], body: "abc")
    }
    let error = try await transportError {
      _ = try await transport.send(HTTPRequest(.get, server.url))
    }
    #expect(error.code == .malformedResponse)
  }

  @Test("members that follow each other are one body, whatever pieces they come in")
  func members() async throws {
    let pieces = (Self.packed + Self.packed).map { [$0] }
    let server = try WireServer { _ in .chunked(pieces, headers: Self.gzip) }
    let body = try await transport.send(HTTPRequest(.get, server.url)).body
    #expect(body == Array((Self.text + Self.text).utf8))
  }

  @Test("a damaged checksum is noticed")
  func damaged() async throws {
    var bytes = Self.packed
    bytes[bytes.count - 6] ^= 1
    let damaged = bytes
    let server = try WireServer { _ in .response(200, headers: Self.gzip, bytes: damaged) }
    let error = try await transportError {
      _ = try await transport.send(HTTPRequest(.get, server.url))
    }
    #expect(error.code == .malformedResponse)
  }
}
