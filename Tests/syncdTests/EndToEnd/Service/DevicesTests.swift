import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Several services with stores of their own and one server between them, all of them real processes.
@Suite("Several devices and one server")
struct DevicesTests {
  private static let settings = "direction: \"both\","

  /// A store, and the service that runs on it until somebody kills it.
  private struct Device {
    let tool: Tool
    var service: ServiceUnderTest

    init(_ url: String) async throws {
      tool = try Tool()
      service = try await ServiceUnderTest(
        tool, url, settings: DevicesTests.settings, lifetime: 400)
    }

    mutating func restart(_ url: String) async throws {
      service.process.signal(SIGKILL)
      _ = await service.process.wait()
      service = try await ServiceUnderTest(
        tool, url, settings: DevicesTests.settings, lifetime: 400)
    }
  }

  /// The server, on a port that it keeps when it is started again.
  private struct Server {
    let tool: Tool
    let url: String
    private var process: ChildProcess

    init() async throws {
      tool = try Tool()
      (process, url) = try await tool.serve()
    }

    private var address: String {
      String(url.dropFirst("http://".count).prefix { $0 != "/" })
    }

    mutating func restart() async throws {
      process.signal(SIGKILL)
      _ = await process.wait()
      process = try tool.start([
        "serve", "--listen", address, "--store", tool.folder.file("remote.db"),
      ])
      _ = try await process.line(startingWith: "listening on ")
    }
  }

  @Test("random edits while clients and server are killed: all are equal, every edit is kept")
  func killed() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    var server = try await Server()
    var devices: [Device] = []
    for _ in 0..<3 { devices.append(try await Device(server.url)) }
    var edits: [(device: Int, title: String)] = []
    let end = ContinuousClock.now + .seconds(120)
    var round = 0
    while isThorough ? ContinuousClock.now < end : round < 20 {
      round += 1
      let number = Int.random(in: 0..<3, using: &random)
      // So many that no project has more versions than are kept of one.
      let id = "p\(Int.random(in: 0..<rounds(8, thorough: 64), using: &random))"
      switch Int.random(in: 0..<12, using: &random) {
      case 0: try await devices[number].restart(server.url)
      case 1: try await server.restart()
      case 2: try await devices[number].tool.sql("DELETE FROM projects WHERE id='\(id)'")
      default:
        let title = "edit \(round) by \(number)"
        try await devices[number].tool.sql(
          """
          INSERT INTO projects(id, title) VALUES('\(id)', '\(title)')
            ON CONFLICT(id) DO UPDATE SET title=excluded.title
          """)
        edits.append((number, title))
      }
    }
    // What one sends in the first round, the others have after the second.
    for _ in 0..<2 {
      for device in devices {
        #expect(try await device.service.sync().outcome == "inSync", "seed \(seed)")
      }
    }
    for device in devices {
      #expect(try await device.service.sync().remote.total == 0, "seed \(seed)")
      #expect(await device.service.stop() == 0)
      let verified = try await device.tool.start([
        "verify", "--store", device.tool.store, "--remote", server.url,
      ]).wait()
      #expect(verified.status == 0, "seed \(seed): \(verified.output)\(verified.errors)")
      #expect(try await device.tool.sql("PRAGMA integrity_check") == "ok\n", "seed \(seed)")
    }
    for (number, device) in devices.enumerated() {
      let kept = try await device.tool.sql(
        "SELECT title FROM projects UNION SELECT title FROM syncd_history")
      let titles = Set(kept.split(separator: "\n").map(String.init))
      for edit in edits where edit.device == number {
        #expect(titles.contains(edit.title), "seed \(seed)")
      }
    }
  }

  @Test("one device sees the other's change soon")
  func latency() async throws {
    let server = try await Server()
    let first = try await Device(server.url)
    let second = try await Device(server.url)
    for device in [first, second] { try await device.service.waitForLog("state: online") }
    var latencies = Latencies()
    for number in 0..<rounds(3, thorough: 50) {
      let (from, to) = number.isMultiple(of: 2) ? (first, second) : (second, first)
      try await from.tool.sql("INSERT INTO projects(id, title) VALUES('e\(number)', 'edit')")
      let written = ContinuousClock.now
      #expect(
        await eventually {
          let found = try? await to.tool.sql("SELECT count(*) FROM projects WHERE id='e\(number)'")
          return found == "1\n"
        })
      latencies.add(written.duration(to: .now))
    }
    latencies.print("a change on one device to visible on another")
    if isThorough { #expect(latencies.median < .milliseconds(1500)) }
    for device in [first, second] {
      #expect(try await device.service.sync().remote.total == 0)
      #expect(await device.service.stop() == 0)
    }
  }
}
