import SyncKit
import Synchronization
import TestSupport
import Testing

@Suite("CurlTransport: closing")
struct CurlTransportCloseTests {
  @Test("ends what is under way, closes every connection, and takes no more")
  func close() async throws {
    let transport = CurlTransport()
    let server = try WireServer { request in
      request.path == "/held" ? .ignore : .response(200)
    }
    #expect(try await transport.send(HTTPRequest(.get, server.url)).status == 200)
    let held = Task { try await transport.send(HTTPRequest(.get, server.url + "/held")) }
    #expect(await server.wait { $0.requests.count == 2 })
    transport.close()
    await #expect(throws: CancellationError.self) { try await held.value }
    #expect(await server.wait { $0.openConnections == 0 })
    let error = try await transportError {
      _ = try await transport.send(HTTPRequest(.get, server.url))
    }
    #expect(error.code == .invalidRequest && error.message.contains("closed"))
    transport.close()
    #expect(server.requests.count == 2)
  }

  @Test("a transport that never sent anything is closed at once")
  func unused() async throws {
    let transport = CurlTransport()
    transport.close()
    await #expect(throws: TransportError.self) {
      try await transport.send(HTTPRequest(.get, "http://127.0.0.1:1/"))
    }
  }

  @Test("requests posted while it closes all end", arguments: 0..<20)
  func racing(turn: Int) async throws {
    let transport = CurlTransport()
    let server = try WireServer { _ in .ignore }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask {
          if index == turn % 8 { transport.close() }
          _ = try? await transport.send(HTTPRequest(.get, server.url))
        }
      }
    }
  }

  @Test("joining a thread waits for all that it does")
  func join() throws {
    let done = Mutex(false)
    let thread = try #require(
      DedicatedThread {
        for _ in 0..<1000 { done.withLock { $0 = false } }
        done.withLock { $0 = true }
      })
    thread.join()
    #expect(done.withLock { $0 })
    thread.join()
  }
}
