import SyncKit
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The real binary against a real PocketBase, which knows no conditions and takes whoever has a bad
/// token for anybody.
@Suite("syncd and PocketBase")
struct PocketBaseTests {
  private struct World {
    let tool: Tool
    let proxy: WireProxy
    let server: PocketBaseServer

    init() async throws {
      server = try await PocketBaseServer.shared
      tool = try Tool()
      proxy = try WireProxy(to: try await server.collection())
      try configure(tool, token: server.token)
    }

    func configure(_ tool: Tool, token: String?) throws {
      try tool.folder.write(token ?? "", to: "token")
      let auth =
        token == nil ? "" : "auth: { bearer: { file: \"\(tool.folder.file("token"))\" } }"
      try tool.folder.write(
        """
        { direction: "both", guards: { maxDeletionShare: 0.9, maxDeletions: 500 },
          remote: { \(auth) } }
        """, to: "syncd/config.json5")
    }

    func device() throws -> Tool {
      let other = try Tool()
      try configure(other, token: server.token)
      return other
    }

    func fill(_ count: Int) async throws {
      let lines = (0..<count).map {
        #"{"id":"p\#($0)","title":"project \#($0)","effort":1.50,"big":12345678901234567890}"#
      }
      try await tool.run(
        "import", "-", "--format", "ndjson", input: lines.joined(separator: "\n"))
    }

    /// A run that is killed once so many requests have been sent, answered or not.
    func killed(after requests: Int, carriedOut: Bool) async throws {
      let run = try tool.start([
        "once", "-q", "--retry-for", "0s", "--store", tool.store, "--remote", proxy.url,
      ])
      let count = Mutex(0)
      proxy.setFault { _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number == requests else { return nil }
        run.signal(SIGKILL)
        return carriedOut ? .answerLost : .lost
      }
      _ = await run.wait()
      proxy.setFault(nil)
    }

    func expectAtRest(_ tool: Tool) async throws {
      let run = try await tool.once(proxy.url)
      #expect(run.status == 0, "\(run.report.message)")
      #expect(run.report.remote.total == 0 && run.report.local.total == 0, "\(run.report)")
      #expect(run.report.requests <= 4, "\(run.report)")
    }
  }

  @Test("2,000 projects and kill -9 in between: both ends are equal, then at rest")
  func thousands() async throws {
    let world = try await World()
    let (tool, url) = (world.tool, world.proxy.url)
    try await world.fill(2000)
    for (cut, carriedOut) in [(5, true), (8, false), (13, true)] {
      try await world.killed(after: cut, carriedOut: carriedOut)
    }
    let first = try await tool.once(url, "--retry-for", "60s")
    #expect(first.status == 0, "\(first.report.message) \(first.report.failed.prefix(3))")
    try await world.expectAtRest(tool)

    let other = try world.device()
    let second = try await other.once(url)
    #expect(second.report.local.appended == 2000, "\(second.report.message) \(second.errors)")
    #expect(try await other.titles() == (try await tool.titles()))

    try await tool.sql(
      "UPDATE projects SET title='here' WHERE id IN ('p1','p2','p3');"
        + "DELETE FROM projects WHERE id BETWEEN 'p100' AND 'p1004';"
        + "INSERT INTO projects(id,title) VALUES('new-here','new');")
    try await other.sql(
      "UPDATE projects SET body='there' WHERE id IN ('p3','p4','p5');"
        + "DELETE FROM projects WHERE id='p6';"
        + "INSERT INTO projects(id,title) VALUES('new-there','new');")
    try await world.killed(after: 7, carriedOut: true)
    for device in [tool, other, tool, other] {
      let run = try await device.once(url, "--retry-for", "30s")
      #expect(run.status == 0, "\(run.report.message) \(run.report.failed.prefix(3))")
    }
    let titles = try await tool.titles()
    #expect(titles == (try await other.titles()))
    #expect(titles["p6"] == nil && titles["new-there"] == "new" && titles["p100"] == nil)
    try await world.expectAtRest(tool)
    try await world.expectAtRest(other)
    #expect(try await tool.sql("PRAGMA integrity_check") == "ok\n")
  }

  @Test("a token that is bad, or is not there, deletes nothing: 77, and 3")
  func strangers() async throws {
    let world = try await World()
    try await world.fill(20)
    #expect(try await world.tool.once(world.proxy.url).status == 0)
    try world.configure(world.tool, token: "x.y.z")
    #expect(try await world.tool.once(world.proxy.url).status == 77)
    try world.configure(world.tool, token: nil)
    #expect(try await world.tool.once(world.proxy.url).status == 3)
    #expect(try await world.tool.titles().count == 20)
    try world.configure(world.tool, token: world.server.token)
    try await world.expectAtRest(world.tool)
  }
}
