import SyncKit
import TestSupport
import Testing

@Suite("HTTPTransport: connections")
struct TransportConnectionTests {
  let transport = makeTransport()

  private func failure(
    of transport: any HTTPTransport, _ url: String
  ) async throws -> TransportError {
    try await transportError { _ = try await transport.send(HTTPRequest(.get, url)) }
  }

  @Test("a port where nobody listens cannot be connected to")
  func refused() async throws {
    let server = try WireServer { _ in .response(200) }
    server.stop()
    #expect(await server.wait { _ in true })
    let url = "http://127.0.0.1:1/v1/projects"
    let error = try await failure(of: transport, url)
    #expect(error.code == .cannotConnect)
    #expect(error.url == url)
    #expect(!error.message.isEmpty)
  }

  @Test("a socket file that is not there cannot be connected to")
  func noSocketFile() async throws {
    let error = try await failure(of: transport, "unix:/tmp/syncd-none.sock:/v1/projects")
    #expect(error.code == .cannotConnect)
    #expect(error.url == "unix:/tmp/syncd-none.sock:/v1/projects")
    #expect(error.message.contains("/tmp/syncd-none.sock: No such file"), "\(error)")
    #expect(!error.message.contains("localhost"))
  }

  @Test("a name that nobody knows is not resolved")
  func unknownName() async throws {
    let error = try await failure(of: transport, "http://user:secret@host.invalid/v1?a@b")
    #expect(error.code == .nameNotResolved)
    #expect(error.url == "http://host.invalid/v1?a@b")
    #expect(!"\(error)".contains("secret"))
  }

  @Test("an address of IPv6 is understood")
  func addressOfIPv6() async throws {
    let error = try await failure(of: transport, "http://[::1]:1/")
    #expect(error.code == .cannotConnect)
  }

  @Test("where the first address of a name is dead, the next is tried")
  func deadAddress() async throws {
    let server = try WireServer { _ in .response(200) }
    let transport = makeTransport {
      $0.resolve = ["dual.test:\(server.port):[::1],127.0.0.1"]
    }
    let request = HTTPRequest(.get, "http://dual.test:\(server.port)/")
    #expect(try await transport.send(request).status == 200)
  }

  @Test("plain HTTP where TLS was asked for is no connection")
  func noTLS() async throws {
    let server = try WireServer { _ in .response(200) }
    let error = try await failure(of: transport, "https://127.0.0.1:\(server.port)/")
    #expect(error.code == .cannotConnect, "\(error)")
  }

  @Test("certificates that cannot be read are never a reason to go on")
  func missingCertificates() async throws {
    let server = try WireServer { _ in .response(200) }
    let url = "https://127.0.0.1:\(server.port)/"
    let noCA = makeTransport { $0.caFile = "/nonexistent/ca.pem" }
    #expect(try await failure(of: noCA, url).code == .invalidRequest)
    let noCertificate = makeTransport { $0.certificateFile = "/nonexistent/client.pem" }
    #expect(try await failure(of: noCertificate, url).code == .untrusted)
  }

  @Test("a server that says nothing is given up after the idle time", arguments: [true, false])
  func idle(beforeHead: Bool) async throws {
    let transport = makeTransport { $0.idleTimeout = .milliseconds(80) }
    let server = try WireServer { _ in
      beforeHead ? .ignore : .pieces([pattern(500)], length: 1000) + .ignore
    }
    let error = try await failure(of: transport, server.url)
    #expect(error.code == .timedOut)
    #expect(error.bytesReceived == (beforeHead ? 0 : 500))
    #expect(await server.wait { $0.openConnections == 0 })
  }

  @Test("a server that takes no byte of the body is given up after the idle time")
  func idleUpload() async throws {
    let transport = makeTransport { $0.idleTimeout = .milliseconds(80) }
    let server = try WireServer { _ in
      .response(200)
    } early: { _ in
      .ignore
    }
    let error = try await transportError {
      let body = HTTPRequest.Body.bytes(pattern(16 << 20))
      _ = try await transport.send(HTTPRequest(.put, server.url, body: body))
    }
    #expect(error.code == .timedOut)
  }

  @Test("neither a slow reader, nor a slow body, nor waiting for a connection is idleness")
  func notIdle() async throws {
    // A machine under load may be slower than the shortest of these; none is too short to be right.
    for idle in [Duration.milliseconds(100), .seconds(1), .seconds(5)] {
      if try await outlasts(idle) { return }
    }
    Issue.record("requests that were held back were given up")
  }

  private func outlasts(_ idle: Duration) async throws -> Bool {
    let transport = makeTransport {
      $0.idleTimeout = idle
      $0.concurrency = 2
    }
    let large = pattern(16 << 20)
    let server = try WireServer { request in
      request.path == "/large" ? .response(200, bytes: large) : .response(200)
    }
    let silent = try WireServer { _ in .ignore }
    // Two idle times of another request are the clock.
    @Sendable func wait() async throws {
      for _ in 0..<2 { #expect(try await failure(of: transport, silent.url).code == .timedOut) }
    }
    let collector = Collector()
    async let streamed: Void = {
      try await transport.stream(HTTPRequest(.get, server.url + "/large")) { _ in
      } body: { chunk in
        if await collector.sizes.isEmpty { try await wait() }
        await collector.add(chunk)
      }
    }()
    let gate = WireGate()
    let body = HTTPRequest.Body.stream {
      if gate.isOpen { return nil }
      try await wait()
      gate.open()
      return [1]
    }
    async let upload = transport.send(HTTPRequest(.post, server.url, body: body))
    async let third = transport.send(HTTPRequest(.get, server.url + "/third"))
    do {
      _ = try await (upload, third)
      try await streamed
    } catch let error as TransportError where error.code == .timedOut {
      return false
    }
    #expect(await collector.bytes == large)
    return true
  }

  @Test("a connection that nobody accepts is given up after the connect time")
  func connectTimeout() async throws {
    let transport = makeTransport { $0.connectTimeout = .milliseconds(80) }
    // The handshake of TLS belongs to connecting, and never ends here.
    let silent = try WireServer(isMute: true) { _ in .ignore }
    let error = try await failure(of: transport, "https://127.0.0.1:\(silent.port)/")
    #expect(error.code == .timedOut, "\(error)")
  }

  @Test("after closing idle connections the next request opens a fresh one")
  func closeIdle() async throws {
    let server = try WireServer { _ in .response(200) }
    _ = try await transport.send(HTTPRequest(.get, server.url))
    transport.closeIdleConnections()
    #expect(await server.wait { $0.openConnections == 0 })
    _ = try await transport.send(HTTPRequest(.get, server.url))
    _ = try await transport.send(HTTPRequest(.get, server.url))
    #expect(server.connections == 2)
  }

  @Test("closing idle connections leaves what is under way alone")
  func closeIdleUnderWay() async throws {
    let gate = WireGate()
    let server = try WireServer { request in
      request.path == "/slow"
        ? .wait(gate) + .response(200, bytes: pattern(100_000)) : .response(201)
    }
    let slow = Task { try await transport.send(HTTPRequest(.get, server.url + "/slow")) }
    #expect(await server.wait { $0.requests.count == 1 })
    _ = try await transport.send(HTTPRequest(.get, server.url))
    #expect(server.connections == 2)
    transport.closeIdleConnections()
    #expect(try await transport.send(HTTPRequest(.get, server.url)).status == 201)
    #expect(server.connections == 3)
    gate.open()
    #expect(try await slow.value.body == pattern(100_000))
    #expect(await server.wait { $0.openConnections == 1 })
    #expect(try await transport.send(HTTPRequest(.get, server.url)).status == 201)
    #expect(server.connections == 3)
  }

  @Test("a request may have a patience of its own, longer or shorter than the transport's")
  func patience() async throws {
    let gate = WireGate()
    let server = try WireServer { _ in .wait(gate) + .response(200) }
    var request = HTTPRequest(.get, server.url)
    let hasty = makeTransport { $0.idleTimeout = .milliseconds(80) }
    request.idleTimeout = .seconds(60)
    let patient = Task { [request] in try await hasty.send(request) }
    #expect(await server.wait { $0.requests.count == 1 })
    #expect(try await failure(of: hasty, server.url).code == .timedOut)
    request.idleTimeout = .milliseconds(80)
    let error = try await transportError { _ = try await transport.send(request) }
    #expect(error.code == .timedOut)
    gate.open()
    #expect(try await patient.value.status == 200)
  }

  @Test("a response that is followed takes none of the connections that others share")
  func followed() async throws {
    let server = try WireServer { request in
      request.path == "/events"
        ? .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx") + [.waitForClose] : .response(201)
    }
    let transport = makeTransport { $0.concurrency = 1 }
    var request = HTTPRequest(.get, server.url + "/events")
    request.isFollowed = true
    let collector = Collector()
    let following = Task { [request] in
      try await transportError { _ = try await transport.collect(request, into: collector) }
    }
    #expect(await server.wait { $0.requests.count == 1 })
    let answers = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<5 {
        group.addTask { try await transport.send(HTTPRequest(.get, server.url)).status }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers == [201, 201, 201, 201, 201])
    #expect(server.connections == 2)
    transport.closeIdleConnections()
    #expect(try await following.value.code == .connectionLost)
  }

  @Test("traffic counts what crossed the wire", arguments: [0, 300, 60_000, 500_000])
  func traffic(size: Int) async throws {
    let server = try WireServer { request in .response(200, bytes: request.body) }
    let request = HTTPRequest(.put, server.url + "/x", body: .bytes(pattern(size)))
    _ = try await transport.send(request)
    _ = try await transport.send(request)
    #expect(transport.traffic.requests == 2)
    #expect(transport.traffic.bytesSent == Int64(server.requests.map(\.wireBytes).reduce(0, +)))
    // The server counts what it has sent once it is through, which may be after we have it.
    let received = transport.traffic.bytesReceived
    #expect(await server.wait { Int64($0.bytesSent) == received })
  }
}
