import TestSupport
import Testing

@Suite("Time zones")
struct TimeZoneTests {
  @Test("a change of the zone between runs writes nothing, in either direction")
  func change() async throws {
    for direction in ["push", "both"] {
      let tool = try Tool()
      let server = try PlainRESTServer()
      try tool.folder.write("{ direction: \"\(direction)\" }", to: "syncd/config.json5")
      try await tool.run("add", "a", "--id", "a", "--due", "2026-03-29T02:30:00+01:00")
      for (round, zone) in ["Asia/Kathmandu", "Europe/Berlin", "America/St_Johns"].enumerated() {
        let result = try await tool.once(server.url, environment: ["TZ": zone])
        #expect(result.status == 0)
        #expect(result.report.remote.total == (round == 0 ? 1 : 0))
        #expect(result.report.local.total == 0)
      }
      // An edit in one zone is an edit in another.
      try await tool.run(
        "edit", "a", "--title", "b", environment: ["TZ": "Pacific/Kiritimati"])
      let result = try await tool.once(server.url, environment: ["TZ": "Pacific/Pago_Pago"])
      #expect(result.report.remote.updated == 1)
      #expect(try await tool.once(server.url).report.remote.total == 0)
    }
  }
}
