import SyncKit
import Synchronization
import TestSupport
import Testing

@Suite("HTTPTransport: streamed requests")
struct TransportUploadTests {
  let transport = makeTransport()

  /// A body of numbered pieces that counts how many were pulled.
  private final class Source: Sendable {
    let pulled = Mutex(0)
    let pieces: Int
    let size: Int

    init(pieces: Int, size: Int) {
      self.pieces = pieces
      self.size = size
    }

    var body: HTTPRequest.Body {
      .stream { [self] in
        await Task.yield()
        return pulled.withLock { pulled in
          guard pulled < pieces else { return nil }
          pulled += 1
          return piece(pulled)
        }
      }
    }

    func piece(_ number: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
    }

    var whole: [UInt8] { (1...pieces).flatMap(piece) }
  }

  @Test(
    "a streamed body arrives whole, in chunks", arguments: [(1, 1), (300, 7), (40, 100_000)])
  func arrives(pieces: Int, size: Int) async throws {
    let server = try WireServer { request in .response(200, body: "\(request.body.count)") }
    let source = Source(pieces: pieces, size: size)
    let request = HTTPRequest(.post, server.url + "/batch", body: source.body)
    let response = try await transport.send(request)
    #expect(response.body == Array("\(pieces * size)".utf8))
    let received = try #require(server.requests.first)
    #expect(received.isChunked)
    #expect(received.headers["Expect"] == nil)
    #expect(received.method == "POST")
    #expect(received.body == source.whole)
  }

  @Test("an empty streamed body is a body")
  func empty() async throws {
    let server = try WireServer { _ in .response(200) }
    let request = HTTPRequest(.post, server.url, body: .stream { nil })
    #expect(try await transport.send(request).status == 200)
    #expect(server.requests.first?.body == [])
  }

  @Test("both directions can be streamed at once")
  func both() async throws {
    let server = try WireServer { request in .chunked([request.body, request.body]) }
    let source = Source(pieces: 10, size: 50_000)
    let collector = try await transport.collect(
      HTTPRequest(.post, server.url, body: source.body))
    #expect(await collector.bytes == source.whole + source.whole)
  }

  @Test("no more is pulled than the connection takes")
  func backPressure() async throws {
    let gate = WireGate()
    let server = try WireServer { request in
      .response(200, body: "\(request.body.count)")
    } early: { _ in
      .wait(gate) + .proceed
    }
    let source = Source(pieces: 640, size: 100_000)
    let task = Task {
      try await transport.send(HTTPRequest(.put, server.url, body: source.body))
    }
    #expect(await server.wait { $0.requests.count == 1 })
    var last = -1
    var same = 0
    while same < 20 {
      let now = source.pulled.withLock { $0 }
      same = now == last ? same + 1 : 0
      last = now
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(last < 640)
    gate.open()
    #expect(try await task.value.body == Array("64000000".utf8))
  }

  @Test("a throw from the body fails the request with it and closes the connection")
  func throwing() async throws {
    let server = try WireServer { _ in .response(200) }
    let pulled = Mutex(0)
    let request = HTTPRequest(
      .post, server.url,
      body: .stream {
        let number = pulled.withLock { pulled in
          pulled += 1
          return pulled
        }
        if number == 3 { throw Interruption() }
        return pattern(10)
      })
    await #expect(throws: Interruption()) { try await transport.send(request) }
    #expect(await server.wait { $0.openConnections == 0 })
    #expect(server.requests.allSatisfy { $0.body.isEmpty })
  }

  @Test("an answer before the end of the body is the answer")
  func early() async throws {
    let server = try WireServer { _ in
      .response(200)
    } early: { _ in
      .response(413, body: "too much") + .ignore
    }
    let source = Source(pieces: 1000, size: 100_000)
    let response = try await transport.send(
      HTTPRequest(.post, server.url, body: source.body))
    #expect(response.status == 413)
    #expect(response.body == Array("too much".utf8))
    #expect(source.pulled.withLock { $0 } < 1000)
  }

  @Test("cancelling stops the pulling too")
  func cancel() async throws {
    let server = try WireServer { _ in
      .response(200)
    } early: { _ in
      .ignore
    }
    let task = Task {
      try await transport.send(
        HTTPRequest(
          .post, server.url,
          body: .stream {
            try await Task.sleep(for: .seconds(60))
            return nil
          }))
    }
    #expect(await server.wait { $0.requests.count == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await server.wait { $0.openConnections == 0 })
  }

  @Test("a kept connection that died is replaced for bodies in memory", arguments: [300, 300_000])
  func retries(size: Int) async throws {
    let server = try WireServer { request in
      request.number == 1 ? .response(200) + .close : .response(200, body: "\(request.body.count)")
    }
    _ = try await transport.send(HTTPRequest(.get, server.url))
    let response = try await transport.send(
      HTTPRequest(.put, server.url, body: .bytes(pattern(size))))
    #expect(response.body == Array("\(size)".utf8))
  }

  @Test("a streamed body that was begun is not sent again")
  func neverAgain() async throws {
    let server = try WireServer { request in
      request.number == 1 ? .response(200) : .close
    }
    _ = try await transport.send(HTTPRequest(.get, server.url))
    let source = Source(pieces: 3, size: 10)
    let error = try await transportError {
      _ = try await transport.send(HTTPRequest(.post, server.url, body: source.body))
    }
    #expect(error.code == .connectionLost, "\(error)")
    #expect(server.writes.count == 1)
  }
}
