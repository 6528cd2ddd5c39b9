import SyncKit
import TestSupport
import Testing

@Suite("HTTPTransport: streamed responses")
struct TransportStreamTests {
  let transport = makeTransport()

  @Test("the head comes once and first, the chunks in order", arguments: [0, 1, 1_000_000])
  func order(size: Int) async throws {
    let server = try WireServer { _ in
      .response(404, headers: ["ETag": "\"1\""], bytes: pattern(size))
    }
    let collector = try await transport.collect(HTTPRequest(.get, server.url))
    #expect(await collector.heads.map(\.status) == [404])
    #expect(await collector.heads.first?.headers["ETag"] == "\"1\"")
    #expect(await collector.bytes == pattern(size))
    #expect(await !collector.sizes.contains(0))
  }

  @Test("a slow reader holds the server back rather than filling memory", arguments: [false, true])
  func backPressure(chunked: Bool) async throws {
    let piece = pattern(1 << 20)
    let count = 16
    let pieces = [[UInt8]](repeating: piece, count: count)
    let size = piece.count * count
    let server = try WireServer { _ in
      chunked ? .chunked(pieces) : .pieces(pieces, length: size)
    }
    let collector = Collector()
    try await transport.stream(HTTPRequest(.get, server.url)) { _ in
    } body: { chunk in
      if await collector.sizes.isEmpty { #expect(await standstill(of: server) < size) }
      #expect(chunk.count <= 1 << 20)
      await collector.add(chunk)
    }
    #expect(await collector.bytes == Array(pieces.joined()))
  }

  @Test("what the reader throws stops the transfer and is thrown on", arguments: [true, false])
  func throwing(inHead: Bool) async throws {
    let server = try WireServer { _ in .pieces([pattern(500)], length: 1000) + .ignore }
    await #expect(throws: Interruption()) {
      try await transport.stream(HTTPRequest(.get, server.url)) { _ in
        if inHead { throw Interruption() }
      } body: { _ in
        throw Interruption()
      }
    }
    #expect(await server.wait { $0.openConnections == 0 })
  }

  @Test("a stream that breaks off hands over what came, and throws")
  func truncated() async throws {
    let server = try WireServer { _ in .pieces([pattern(600)], length: 1000) + .close }
    let collector = Collector()
    let error = try await transportError {
      _ = try await transport.collect(HTTPRequest(.get, server.url), into: collector)
    }
    #expect(error.code == .truncatedBody)
    #expect(error.bytesReceived == 600)
    #expect(await collector.bytes == pattern(600))
  }

  @Test("no head comes where there is no response")
  func noResponse() async throws {
    let server = try WireServer { _ in .close }
    let collector = Collector()
    let error = try await transportError {
      _ = try await transport.collect(HTTPRequest(.get, server.url), into: collector)
    }
    #expect(error.code == .connectionLost)
    #expect(await collector.heads.isEmpty)
  }

  @Test("chunks come as the server sends them")
  func live() async throws {
    let gate = WireGate()
    let server = try WireServer { _ in
      .chunked([Array("one".utf8)], ended: false) + .wait(gate)
        + .raw("3\r\ntwo\r\n0\r\n\r\n")
    }
    let collector = Collector()
    try await transport.stream(HTTPRequest(.get, server.url)) { _ in
    } body: {
      await collector.add($0)
      gate.open()
    }
    #expect(await collector.bytes == Array("onetwo".utf8))
    #expect(await collector.sizes == [3, 3])
  }
}
