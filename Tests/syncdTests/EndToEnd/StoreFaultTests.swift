import TestSupport
import Testing

/// The rows of "the store", with other processes and damaged files.
@Suite("The store in trouble, end to end")
struct StoreFaultTests {
  private func synced(_ count: Int = 200) async throws -> (Tool, PlainRESTServer) {
    let tool = try Tool()
    let server = try PlainRESTServer()
    let lines = (0..<count).map { #"{"id":"p\#($0)","title":"project \#($0)"}"# }
    let input = lines.joined(separator: "\n")
    try await tool.run("import", "-", "--format", "ndjson", input: input)
    let first = try await tool.once(server.url)
    guard first.report.remote.appended == count else {
      throw ChildProcess.Failure(description: first.report.message)
    }
    server.wire.forgetRequests()
    return (tool, server)
  }

  /// Another program that holds the store's write lock until it is ended.
  private func holdWriteLock(_ tool: Tool) async throws -> ChildProcess {
    let script = "BEGIN IMMEDIATE;\n.shell echo locked; exec sleep 60\n"
    let holder = try ChildProcess("/usr/bin/sqlite3", [tool.store], input: script)
    _ = try await holder.line(startingWith: "locked")
    return holder
  }

  @Test("a write lock that is held for too long ends in 75 and says who holds it")
  func lockedForLong() async throws {
    let (tool, server) = try await synced(3)
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
    let (tool, server) = try await synced(3)
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

  enum Damage: String, CaseIterable {
    case truncated, overwrittenPages, notADatabase, emptied, fromTheFuture
  }

  @Test("damage is exit 74, and nothing is written anywhere", arguments: Damage.allCases)
  func damaged(damage: Damage) async throws {
    let (tool, server) = try await synced()
    if damage == .fromTheFuture {
      try await tool.sql("PRAGMA user_version = 99")
    } else {
      try await tool.sql("PRAGMA wal_checkpoint(TRUNCATE)")
      for suffix in ["-wal", "-shm"] where tool.folder.exists("projects.db" + suffix) {
        try tool.folder.remove("projects.db" + suffix)
      }
      var bytes = try tool.folder.bytes("projects.db")
      switch damage {
      case .truncated: bytes.removeLast(bytes.count * 2 / 5)
      case .overwrittenPages:
        let middle = bytes.count / 2 / 4096 * 4096
        for index in middle..<(middle + 8192) {
          bytes[index] = UInt8(truncatingIfNeeded: index &* 31)
        }
      case .notADatabase: bytes = Array("This is a letter to a friend, and no database.".utf8)
      default: bytes = []
      }
      try tool.folder.write(bytes, to: "projects.db")
    }
    for direction in ["push", "both"] {
      try tool.folder.write("{ direction: \"\(direction)\" }", to: "syncd/config.json5")
      let result = try await tool.once(server.url)
      #expect(result.status == 74, "\(damage) \(direction): \(result.report.message)")
      #expect(server.writes.isEmpty)
      #expect(server.titles.count == 200)
    }
  }

  @Test("a body of 20 MB and two thousand records arrive whole")
  func large() async throws {
    let (tool, server) = try await synced(2000)
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
