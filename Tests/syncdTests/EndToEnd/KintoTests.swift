import SyncKit
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The real binary against a real Kinto.
@Suite("syncd and Kinto")
struct KintoTests {
  private struct World {
    let tool: Tool
    let proxy: WireProxy

    init(direction: String) async throws {
      tool = try Tool()
      proxy = try WireProxy(to: try await KintoServer.shared.collection())
      try tool.folder.write(KintoServer.password, to: "password")
      try tool.folder.write(config(direction), to: "syncd/config.json5")
    }

    /// Another device, with a store and a configuration of its own.
    func device(direction: String = "both") throws -> Tool {
      let other = try Tool()
      try other.folder.write(KintoServer.password, to: "password")
      try other.folder.write(
        World.config(direction, other.folder.file("password")), to: "syncd/config.json5")
      return other
    }

    private func config(_ direction: String) -> String {
      World.config(direction, tool.folder.file("password"))
    }

    private static func config(_ direction: String, _ file: String) -> String {
      """
      { direction: "\(direction)", guards: { maxDeletionShare: 0.9, maxDeletions: 500 },
        remote: { auth: { basic: { user: "\(KintoServer.user)", password: { file: "\(file)" } } } } }
      """
    }

    func fill(_ count: Int) async throws {
      let lines = (0..<count).map { #"{"id":"p\#($0)","title":"project \#($0)","effort":1.50}"# }
      try await tool.run(
        "import", "-", "--format", "ndjson", input: lines.joined(separator: "\n"))
    }

    /// A run that is killed once so many requests have been sent, answered or not.
    func killed(after requests: Int, carriedOut: Bool) async throws {
      let run = try tool.start([
        "once", "-q", "--retry-for", "0s", "--store", tool.store, "--remote", proxy.url,
      ])
      let counter = Counter()
      proxy.setFault { _ in
        guard counter.next() == requests else { return nil }
        run.signal(SIGKILL)
        return carriedOut ? .answerLost : .lost
      }
      _ = await run.wait()
      proxy.setFault(nil)
    }
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }

  @Test("2,000 projects, faults and kill -9 in between: both ends are equal, then at rest")
  func thousands() async throws {
    let world = try await World(direction: "both")
    let (tool, url) = (world.tool, world.proxy.url)
    try await world.fill(2000)
    for (cut, carriedOut) in [(2, true), (9, false), (24, true), (5, true)] {
      try await world.killed(after: cut, carriedOut: carriedOut)
    }
    let counter = Counter()
    world.proxy.setFault { _ in
      switch counter.next() % 9 {
      case 3: .answerLost
      case 6: .status(503)
      case 8: .lost
      default: nil
      }
    }
    let first = try await tool.once(url, "--retry-for", "60s")
    #expect(first.status == 0, "\(first.report.message) \(first.report.failed.prefix(3))")
    world.proxy.setFault(nil)
    try await expectAtRest(world, tool)

    let other = try world.device()
    let second = try await other.once(url)
    #expect(second.report.local.appended == 2000, "\(second.report.message) \(second.errors)")
    #expect(try await other.titles() == (try await tool.titles()))

    // Both edit, create and delete.
    try await tool.sql(
      "UPDATE projects SET title='here' WHERE id IN ('p1','p2','p3');"
        + "DELETE FROM projects WHERE id BETWEEN 'p100' AND 'p1004';"
        + "INSERT INTO projects(id,title) VALUES('new-here','new');")
    try await other.sql(
      "UPDATE projects SET body='there' WHERE id IN ('p3','p4','p5');"
        + "DELETE FROM projects WHERE id='p6';"
        + "INSERT INTO projects(id,title) VALUES('new-there','new');")
    try await world.killed(after: 3, carriedOut: true)
    for device in [tool, other, tool, other] {
      let run = try await device.once(url, "--retry-for", "30s")
      #expect(run.status == 0, "\(run.report.message) \(run.report.failed.prefix(3))")
    }
    let titles = try await tool.titles()
    #expect(titles == (try await other.titles()))
    #expect(titles["p6"] == nil && titles["new-there"] == "new" && titles["p100"] == nil)
    try await expectAtRest(world, tool)
    try await expectAtRest(world, other)
    #expect(try await tool.sql("PRAGMA integrity_check") == "ok\n")
  }

  @Test("nothing to do is one request, and one edit is a few")
  func idle() async throws {
    let world = try await World(direction: "push")
    try await world.fill(300)
    #expect(try await world.tool.once(world.proxy.url).status == 0)
    try await expectAtRest(world, world.tool)
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
    let world = try await World(direction: "both")
    try await world.fill(10)
    #expect(try await world.tool.once(world.proxy.url).status == 0)
    try world.tool.folder.write("wrong", to: "password")
    let run = try await world.tool.once(world.proxy.url)
    #expect(run.status == 77)
    #expect(try await world.tool.titles().count == 10)
  }

  private func expectAtRest(_ world: World, _ tool: Tool) async throws {
    world.proxy.wire.forgetRequests()
    let run = try await tool.once(world.proxy.url)
    #expect(run.status == 0, "\(run.report.message)")
    #expect(run.report.remote.total == 0 && run.report.local.total == 0, "\(run.report)")
    #expect(world.proxy.wire.writes.isEmpty)
  }
}
