import SyncKit
import TestSupport
import Testing

@Suite("HTTPTransport: cancellation")
struct TransportCancellationTests {
  let transport = makeTransport()

  @Test("cancelling closes the connection and throws CancellationError")
  func closes() async throws {
    let server = try WireServer { _ in .ignore }
    let task = Task { try await transport.send(HTTPRequest(.get, server.url)) }
    #expect(await server.wait { $0.requests.count == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await server.wait { $0.openConnections == 0 })
  }

  @Test("cancelling in the middle of a body closes the connection")
  func inBody() async throws {
    let sent = WireGate()
    let server = try WireServer { _ in
      .pieces([pattern(500)], length: 1000) + .open(sent) + .ignore
    }
    let task = Task { try await transport.send(HTTPRequest(.get, server.url)) }
    #expect(await server.wait { _ in sent.isOpen })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await server.wait { $0.openConnections == 0 })
  }

  @Test("a task that is cancelled already sends nothing")
  func already() async throws {
    let server = try WireServer { _ in .response(200) }
    let gate = WireGate()
    let task = Task {
      while !gate.isOpen { await Task.yield() }
      return try await transport.send(HTTPRequest(.put, server.url))
    }
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test("one that waits for a connection can be cancelled, and the others go on")
  func waiting() async throws {
    let transport = makeTransport { $0.concurrency = 1 }
    let gate = WireGate()
    let server = try WireServer { request in
      (request.path == "/first" ? .wait(gate) : []) + .response(200, body: request.path)
    }
    let first = Task { try await transport.send(HTTPRequest(.get, server.url + "/first")) }
    #expect(await server.wait { $0.requests.count == 1 })
    let second = Task { try await transport.send(HTTPRequest(.put, server.url + "/second")) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    let third = Task { try await transport.send(HTTPRequest(.get, server.url + "/third")) }
    gate.open()
    #expect(try await first.value.body == Array("/first".utf8))
    #expect(try await third.value.body == Array("/third".utf8))
    #expect(server.writes.isEmpty)
  }

  @Test("a stream stops wherever it stands", arguments: ["head", "body", "waiting"])
  func stream(place: String) async throws {
    let server = try WireServer { _ in .pieces([pattern(500)], length: 1000) + .ignore }
    let reached = WireGate()
    let task = Task {
      try await transport.stream(HTTPRequest(.get, server.url)) { _ in
        if place == "head" {
          reached.open()
          try await Task.sleep(for: .seconds(60))
        }
      } body: { _ in
        reached.open()
        if place == "body" { try await Task.sleep(for: .seconds(60)) }
      }
    }
    #expect(await server.wait { _ in reached.isOpen })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await server.wait { $0.openConnections == 0 })
  }

  @Test("cancelling at any moment leaves the transport whole")
  func storm() async throws {
    let transport = makeTransport { $0.concurrency = 4 }
    let server = try WireServer { request in
      request.number % 3 == 0 ? .chunked([pattern(1000), pattern(1000)]) : .response(200)
    }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<300 {
        group.addTask {
          let task = Task {
            if index % 2 == 0 {
              _ = try await transport.send(HTTPRequest(.get, server.url))
            } else {
              _ = try await transport.collect(HTTPRequest(.get, server.url))
            }
          }
          for _ in 0..<(index % 17) { await Task.yield() }
          task.cancel()
          _ = await task.result
        }
      }
    }
    #expect(try await transport.send(HTTPRequest(.get, server.url)).status == 200)
  }

  @Test("letting go of the transport closes its connections")
  func letGo() async throws {
    let server = try WireServer { _ in .response(200) }
    do {
      let transport = makeTransport()
      _ = try await transport.send(HTTPRequest(.get, server.url))
      #expect(server.openConnections == 1)
    }
    #expect(await server.wait { $0.openConnections == 0 })
  }
}
