import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The service under load")
struct ServiceUnderLoadTests {
  @Test("kill -9 at any moment, restarted each time: the ends are equal, without a manual step")
  func killed() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let tool = try Tool()
    let remote = try await tool.serve()
    for round in 0..<rounds(5, thorough: 50) {
      let service = try await ServiceUnderTest(tool, remote.url)
      let victim = service.process
      // As many statements as may fall before, between and after a few runs.
      for number in 0..<Int.random(in: 1...30, using: &random) {
        try await tool.sql(
          """
          INSERT OR REPLACE INTO projects(id, title) VALUES('k\(number % 17)', 'round \(round)');
          UPDATE projects SET body = body || 'x' WHERE id = 'k\(number % 5)';
          DELETE FROM projects WHERE id = 'k\((number + 3) % 11)';
          """)
      }
      victim.signal(SIGKILL)
      _ = await victim.wait()
      #expect(try await tool.sql("PRAGMA integrity_check") == "ok\n", "seed \(seed)")
    }
    let last = try await ServiceUnderTest(tool, remote.url)
    #expect(try await last.sync().outcome == "inSync", "seed \(seed)")
    #expect(await last.stop() == 0)
    try await expectEqual(tool, remote.url, "seed \(seed)")
  }

  @Test("service, once and the sqlite3 shell write at once: no lock is heard of, nothing is lost")
  func together() async throws {
    let tool = try Tool()
    let remote = try await tool.serve()
    let service = try await ServiceUnderTest(tool, remote.url)
    let count = rounds(40, thorough: 600)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<count {
          try await tool.sql("INSERT INTO projects(id, title) VALUES('s\(number)', 'shell')")
        }
      }
      group.addTask {
        for number in 0..<count {
          let result = try await tool.run("add", "tool", "--id", "t\(number)")
          #expect(result.status == 0, "\(result.errors)")
        }
      }
      group.addTask {
        for _ in 0..<count / 4 {
          let result = try await tool.start([
            "once", "--wait", "60", "--store", tool.store, "--remote", remote.url,
          ]).wait()
          #expect(result.status == 0, "\(result.errors)")
        }
      }
      try await group.waitForAll()
    }
    #expect(try await service.sync().outcome == "inSync")
    #expect(!service.process.errors.contains("database is locked"))
    #expect(try await tool.titles().count == 2 * count)
    #expect(await service.stop() == 0)
    try await expectEqual(tool, remote.url, "")
  }

  @Test("an edit by the sqlite3 shell is on the remote soon, and a burst makes few runs")
  func latency() async throws {
    let tool = try Tool()
    let remote = try await tool.serve()
    let service = try await ServiceUnderTest(tool, remote.url)
    try await service.waitForLog("state: online")
    let follower = try ChildProcess(
      "/usr/bin/curl", ["-sN", "-H", "Accept: text/event-stream", remote.url + "/events"],
      lifetime: 240)
    #expect(await eventually { follower.output.contains("event: changed") })
    var latencies = Latencies()
    for number in 0..<rounds(3, thorough: 100) {
      // Counted before the edit: on a busy machine its event may be there before its shell is gone.
      let before = follower.output.components(of: "event: changed")
      try await tool.sql("INSERT INTO projects(id, title) VALUES('e\(number)', 'edit')")
      let written = ContinuousClock.now
      #expect(await eventually { follower.output.components(of: "event: changed") > before })
      latencies.add(written.duration(to: .now))
    }
    latencies.print("local edit to visible on the remote")
    if isThorough { #expect(latencies.median < .milliseconds(700)) }
    #expect(try await service.sync().remote.total == 0)
    #expect(await service.stop() == 0)
  }

  /// Both ends hold the same, and a run has nothing to do.
  private func expectEqual(_ tool: Tool, _ url: String, _ note: String) async throws {
    let pulled = try Tool()
    try pulled.folder.write("{ direction: \"pull\" }", to: "syncd/config.json5")
    #expect(try await pulled.once(url).status == 0)
    #expect(try await pulled.titles() == tool.titles(), "\(note)")
    #expect(try await tool.once(url).report.remote.total == 0, "\(note)")
  }
}
