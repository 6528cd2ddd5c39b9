import SyncKit
import TestSupport
import Testing

/// The real binary against a real Kinto.
@Suite("syncd and Kinto")
struct KintoTests {
  private func world(direction: String) async throws -> RealServer {
    let url = try await KintoServer.shared.collection()
    return try RealServer(url, direction: direction, restRequests: 4) { tool in
      try tool.folder.write(KintoServer.password, to: "password")
      let file = tool.folder.file("password")
      return "auth: { basic: { user: \"\(KintoServer.user)\", password: { file: \"\(file)\" } } }"
    }
  }

  private func expectAtRest(_ world: RealServer) async throws {
    try await world.expectAtRest(world.tool)
    #expect(world.proxy.wire.writes.isEmpty)
  }

  @Test("2,000 projects, faults and kill -9 in between: both ends are equal, then at rest")
  func thousands() async throws {
    let world = try await world(direction: "both")
    try await world.fill(2000)
    try await world.expectThousandsToConverge(
      kills: [(2, true), (9, false), (24, true), (5, true)], lastKill: 3
    ) { number in
      switch number % 9 {
      case 3: .answerLost
      case 6: .status(503)
      case 8: .lost
      default: nil
      }
    }
    #expect(world.proxy.wire.writes.isEmpty)
  }

  @Test("nothing to do is one request, and one edit is a few")
  func idle() async throws {
    let world = try await world(direction: "push")
    try await world.fill(300)
    #expect(try await world.tool.once(world.proxy.url).status == 0)
    try await expectAtRest(world)
    let idle = try await world.tool.once(world.proxy.url)
    #expect(idle.report.requests == 1 && idle.report.bytesReceived < 1500, "\(idle.report)")
    try await world.tool.sql("UPDATE projects SET title='edited' WHERE id='p7'")
    let edit = try await world.tool.once(world.proxy.url)
    #expect(edit.report.remote.updated == 1 && edit.report.requests <= 4, "\(edit.report)")
    let after = try await world.tool.once(world.proxy.url)
    #expect(after.report.remote.total == 0 && after.report.requests == 1, "\(after.report)")
    #expect(after.report.bytesReceived < 2000, "\(after.report)")
  }

  @Test("wrong credentials delete nothing and end with 77")
  func strangers() async throws {
    let world = try await world(direction: "both")
    try await world.fill(10)
    #expect(try await world.tool.once(world.proxy.url).status == 0)
    try world.tool.folder.write("wrong", to: "password")
    let run = try await world.tool.once(world.proxy.url)
    #expect(run.status == 77)
    #expect(try await world.tool.titles().count == 10)
  }
}
