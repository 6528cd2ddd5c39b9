import TestSupport
import Testing

@testable import SyncKit

@Suite("A probe says whether the remote itself answers")
struct ProbeTests {
  @Test("every remote that is there can be probed", arguments: RemoteUnderTest.all)
  func good(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    try await instance.remote.probe()
    for number in 0..<300 { try await instance.put(.sample("p\(number)")) }
    try await instance.remote.probe()
    #expect(try await instance.remote.entries().count == 300)
    try await instance.remote.probe()
    instance.remote.closeIdleConnections()
    try await instance.remote.probe()
    await instance.stop()
  }

  /// The error of a probe, which has sent so many requests.
  private func error(
    of answer: ScriptedAnswer?, requests: Int = 1, dialect: RemoteOptions.Dialect = .rest
  ) async throws -> SyncError? {
    let scripted = try Scripted(dialect: dialect) { request, _ in
      guard let answer else { throw TransportError.scripted(.cannotConnect, request) }
      return answer
    }
    let error = await #expect(throws: SyncError.self) { try await scripted.remote.probe() }
    #expect(scripted.transport.requests.count == requests)
    #expect(scripted.clock.elapsed == .zero)
    return error
  }

  @Test("no connection and trouble are offline, at once and without repetition")
  func offline() async throws {
    #expect(try await error(of: nil)?.code == .offline)
    for status in [408, 429, 500, 503, 511] {
      #expect(try await error(of: ScriptedAnswer(status))?.code == .offline)
    }
  }

  @Test("who refuses the credentials is the remote, and says so", arguments: [401, 403])
  func unauthorized(status: Int) async throws {
    #expect(try await error(of: ScriptedAnswer(status))?.code == .unauthorized)
  }

  @Test("what answers something else is not the remote")
  func protocolViolations() async throws {
    let page = "<html><body>Welcome to our Wi-Fi"
    let answers: [ScriptedAnswer] = [
      ScriptedAnswer(302, headers: ["Location": "http://login.example/"]),
      ScriptedAnswer(404), ScriptedAnswer(204), ScriptedAnswer(200),
      ScriptedAnswer(200, body: page, type: "text/html"),
      ScriptedAnswer(200, body: page), ScriptedAnswer(200, body: "null"),
      ScriptedAnswer(200, body: "[]", type: "text/html"),
    ]
    for answer in answers {
      #expect(try await error(of: answer)?.code == .protocolViolation, "\(answer)")
    }
  }

  @Test("a syncd remote that turned into something else is not it")
  func anotherDialect() async throws {
    #expect(try await error(of: .json("[]"), dialect: .syncd)?.code == .protocolViolation)
  }

  @Test("no more of a long listing is read than shows what it is")
  func beginning() async throws {
    let records = (0..<10_000).map { "{\"id\":\"p\($0)\"}" }.joined(separator: ",")
    let scripted = try Scripted { _, _ in .json("[\(records)]") }
    try await scripted.remote.probe()
    #expect(scripted.transport.traffic.bytesReceived <= 1000)
  }

  @Test("a host that asked to be left alone is left alone")
  func retryAfter() async throws {
    let scripted = try Scripted { _, _ in ScriptedAnswer(503, headers: ["Retry-After": "120"]) }
    for _ in 0..<3 {
      let error = await #expect(throws: SyncError.self) { try await scripted.remote.probe() }
      #expect(error?.code == .offline)
    }
    #expect(scripted.transport.requests.count == 1)
    scripted.clock.advance(by: .seconds(121))
    await #expect(throws: SyncError.self) { try await scripted.remote.probe() }
    #expect(scripted.transport.requests.count == 2)
  }
}
