import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `kill -9` after every single request of a run, and again in the recovery.
@Suite("Killed at any request")
struct KilledTests {
  /// Kills a process once the server has seen so many requests, before that request is answered or
  /// after it was carried out.
  private final class Killer: Sendable {
    private struct State {
      var left = Int.max
      var afterwards = false
      var victim: ChildProcess?
    }

    private let state = Mutex(State())

    func aim(at victim: ChildProcess, after requests: Int, carriedOut: Bool) {
      state.withLock { $0 = State(left: requests, afterwards: carriedOut, victim: victim) }
    }

    func rest() { state.withLock { $0 = State() } }

    /// - Returns: whether to carry the request out; nil where nothing is to be killed.
    func strike() -> Bool? {
      let victim = state.withLock { state -> (ChildProcess, Bool)? in
        guard let victim = state.victim else { return nil }
        state.left -= 1
        return state.left == 0 ? (victim, state.afterwards) : nil
      }
      guard let (process, afterwards) = victim else { return nil }
      process.signal(SIGKILL)
      return afterwards
    }
  }

  private struct World {
    let tool: Tool
    let server: PlainRESTServer
    let killer = Killer()

    /// A store and a server that have agreed on twenty records, and thirty operations since.
    init(direction: String) async throws {
      tool = try Tool()
      server = try PlainRESTServer()
      try tool.folder.write("{ direction: \"\(direction)\" }", to: "syncd/config.json5")
      try await tool.run("add", "title of p00", "--id", "p00")
      try await tool.sql(Self.insert(ids: 1..<20))
      guard try await tool.once(server.url).status == 0 else {
        throw ChildProcess.Failure(description: "the first run failed")
      }
      try await tool.sql(
        Self.insert(ids: 20..<30)
          + "UPDATE projects SET title = 'edited ' || id WHERE id < 'p10';"
          + "DELETE FROM projects WHERE id BETWEEN 'p10' AND 'p14';")
      if direction == "both" {
        for id in 15..<18 {
          try server.put("p\(id)", title: "theirs", stamp: 1_800_000_000_000_000)
        }
        for id in 0..<2 { try server.put("q\(id)", title: "theirs") }
      }
      server.intercept { [killer, weak server] request in
        guard let carryOut = killer.strike() else { return nil }
        if carryOut { _ = server?.answer(request) }
        return .reset
      }
    }

    private static func insert(ids: Range<Int>) -> String {
      ids.map { id in
        let name = id < 10 ? "p0\(id)" : "p\(id)"
        return "INSERT INTO projects(id, title) VALUES('\(name)', 'title of \(name)');"
      }.joined()
    }
  }

  @Test("ends equal to the undisturbed run", arguments: ["push", "both"], [true, false])
  func killed(direction: String, carriedOut: Bool) async throws {
    let undisturbed = try await World(direction: direction)
    #expect(try await undisturbed.tool.once(undisturbed.server.url).status == 0)
    let wanted = undisturbed.server.titles
    let requests = undisturbed.server.wire.requests.count
    #expect(requests > 30)

    var cut = 1
    while cut < 60 {
      let world = try await World(direction: direction)
      for round in 0..<2 {
        let run = try world.tool.start([
          "once", "-q", "--retry-for", "0s", "--store", world.tool.store, "--remote",
          world.server.url,
        ])
        world.killer.aim(at: run, after: cut + round, carriedOut: carriedOut)
        _ = await run.wait()
        world.killer.rest()
      }
      let last = try await world.tool.once(world.server.url)
      #expect(last.status == 0, "cut at \(cut): \(last.report.message)")
      #expect(world.server.titles == wanted, "cut at \(cut)")
      #expect(try await world.tool.titles() == wanted, "cut at \(cut)")
      #expect(try await world.tool.sql("PRAGMA integrity_check") == "ok\n")
      world.server.wire.forgetRequests()
      #expect(try await world.tool.once(world.server.url).status == 0)
      #expect(world.server.writes.isEmpty, "cut at \(cut)")
      cut += cut < 12 ? 1 : 7
    }
  }
}
