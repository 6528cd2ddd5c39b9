import TestSupport
import Testing

/// The rows of "the store", with other processes and large records.
@Suite("The store in trouble, end to end")
struct StoreFaultTests {
  /// Another program that holds the store's write lock until it is ended.
  private func holdWriteLock(_ tool: Tool) async throws -> ChildProcess {
    let script = "BEGIN IMMEDIATE;\n.shell echo locked; exec sleep 60\n"
    let holder = try ChildProcess("/usr/bin/sqlite3", [tool.store], input: script)
    _ = try await holder.line(startingWith: "locked")
    return holder
  }

  @Test("a write lock that is held for too long ends in 75 and says who holds it")
  func lockedForLong() async throws {
    let (tool, server) = try await Tool.synced(3)
    try await tool.run("edit", "p1", "--title", "edited")
    let holder = try await holdWriteLock(tool)
    let result = try await tool.once(server.url)
    #expect(result.status == 75, "\(result.report.message)")
    #expect(result.report.message.contains("write lock"), "\(result.report.message)")
    holder.signal(9)
    #expect(try await tool.once(server.url).status == 0)
    server.wire.forgetRequests()
    #expect(try await tool.once(server.url).status == 0)
    #expect(server.writes.isEmpty)
  }

  @Test("of two runs at once one works; the other says who holds the store, or waits for it")
  func twoRuns() async throws {
    let (tool, server) = try await Tool.synced(3)
    try await tool.run("edit", "p1", "--title", "edited")
    let gate = WireGate()
    server.intercept { request in
      request.method == "GET" && request.path == "/projects" ? .wait(gate) + .json("[]") : nil
    }
    let first = try tool.start([
      "once", "--json", "--store", tool.store, "--remote", server.url, "--retry-for", "0s",
    ])
    #expect(await server.wire.wait { $0.requests.count == 1 })
    let second = try await tool.once(server.url)
    #expect(second.status == 75)
    #expect(second.report.outcome == "locked")
    #expect(second.report.message.contains("\(first.pid)"), "\(second.report.message)")
    let third = try tool.start([
      "once", "--json", "--store", tool.store, "--remote", server.url, "--wait", "60",
    ])
    server.intercept(nil)
    first.signal(9)
    gate.open()
    _ = await first.wait()
    let result = await third.wait()
    #expect(result.status == 0, "\(result.output)")
    #expect(server.titles["p1"] == "edited")
  }

  @Test("a body of 20 MB and two thousand records arrive whole")
  func large() async throws {
    let (tool, server) = try await Tool.synced(2000)
    try await tool.sql(
      "UPDATE projects SET body = replace(hex(zeroblob(10000000)), '0', 'a') WHERE id = 'p1'")
    let result = try await tool.once(server.url)
    #expect(result.report.remote.updated == 1, "\(result.report.message)")
    #expect(try server.json("p1")?.utf8.count ?? 0 > 20_000_000)
    server.wire.forgetRequests()
    #expect(try await tool.once(server.url).status == 0)
    #expect(server.writes.isEmpty)
  }
}
