import TestSupport
import Testing

@Suite("WireServer")
struct WireServerTests {
  @Test("starts on a port of its own and stops")
  func starts() throws {
    let server = try WireServer { _ in .response(200) }
    #expect(server.port > 0)
    #expect(server.requests.isEmpty)
    server.stop()
  }
}
