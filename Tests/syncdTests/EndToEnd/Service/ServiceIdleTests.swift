#if os(Linux)
  import Glibc
  import TestSupport
  import Testing

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #endif

  @Suite("The service at rest")
  struct ServiceIdleTests {
    @Test(
      "ten minutes with nothing to do cost next to nothing",
      .enabled("it takes ten minutes") { isThorough })
    func idle() async throws {
      let tool = try Tool()
      let remote = try await tool.serve()
      let lines = (0..<10_000).map { #"{"id":"i\#($0)","title":"project \#($0)"}"# }
      try await tool.run("import", "-", "--format", "ndjson", input: lines.joined(separator: "\n"))
      let service = try await ServiceUnderTest(tool, remote.url, lifetime: 900)
      #expect(try await service.sync().outcome == "inSync")
      let before = try Usage(of: service.process.pid)
      try await Task.sleep(for: .seconds(600))
      let after = try Usage(of: service.process.pid)
      let seconds = Double(after.ticks - before.ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
      let wakeUps = after.sleeps.reduce(0) { $0 + $1.value - before.sleeps[$1.key, default: 0] }
      say(
        "idle for ten minutes: \(seconds) s of CPU, \(after.residentKiB) KiB resident,"
          + " \(wakeUps) wake-ups\n")
      // The server's heartbeats are thirty, and each wakes a few threads; once a second would be 600.
      #expect(wakeUps < 300)
      #expect(seconds < 0.2)
      #expect(after.residentKiB < 32 << 10)
      #expect(try await service.sync().remote.total == 0)
      #expect(await service.stop() == 0)
    }

    /// What a process has taken so far.
    private struct Usage {
      var ticks: Int
      var residentKiB: Int
      /// How often each thread that there is has gone to sleep.
      var sleeps: [String: Int] = [:]

      init(of pid: Int32) throws {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        ticks = (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        residentKiB = line.split(separator: " ").compactMap { Int($0) }.first ?? .max
        for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
          let path = "/proc/\(pid)/task/\(task)/status"
          let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
          let line = status.split(separator: "\n").first {
            $0.hasPrefix("voluntary_ctxt_switches:")
          }
          sleeps[task] = line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
        }
      }
    }
  }
#endif
