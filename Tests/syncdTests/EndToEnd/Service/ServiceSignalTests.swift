import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Signals to the service")
struct ServiceSignalTests {
  /// A service whose first write waits for the gate.
  private func held() async throws -> (ServiceUnderTest, PlainRESTServer, WireGate) {
    let (tool, server) = try await Tool.synced(2)
    let gate = WireGate()
    server.intercept { [weak server] request in
      guard request.isWrite, !gate.isOpen, let server else { return nil }
      return .wait(gate) + server.answer(request)
    }
    try await tool.run("edit", "p0", "--title", "in flight")
    let service = try await ServiceUnderTest(tool, server.url)
    #expect(await eventually { !server.writes.isEmpty })
    return (service, server, gate)
  }

  @Test("SIGTERM finishes what is in flight")
  func terminate() async throws {
    let (service, server, gate) = try await held()
    service.process.signal(SIGTERM)
    try await service.waitForLog("stopping: what is under way is finished")
    gate.open()
    #expect(await service.process.wait().status == 0)
    #expect(server.titles["p0"] == "in flight")
    server.wire.forgetRequests()
    #expect(try await service.tool.once(server.url).status == 0)
    #expect(server.writes.isEmpty, "what was finished is in the base")
  }

  @Test("a second SIGTERM stops at once, and nothing is lost")
  func terminateTwice() async throws {
    let (service, server, gate) = try await held()
    service.process.signal(SIGTERM)
    try await service.waitForLog("stopping: what is under way is finished")
    service.process.signal(SIGTERM)
    #expect(await service.process.wait().status == 0)
    #expect(!gate.isOpen)
    gate.open()
    server.intercept(nil)
    #expect(try await service.tool.once(server.url).status == 0)
    #expect(server.titles["p0"] == "in flight")
    server.wire.forgetRequests()
    #expect(try await service.tool.once(server.url).status == 0)
    #expect(server.writes.isEmpty)
  }

  @Test("SIGHUP reads the configuration, says what changed, and keeps the old one when it is wrong")
  func reload() async throws {
    let (tool, server) = try await Tool.synced(1)
    let service = try await ServiceUnderTest(tool, server.url)
    try await service.waitForLog("state: online")
    try server.put("theirs", title: "from the server")
    try ServiceUnderTest.configure(tool, server.url, "direction: \"both\",")
    service.process.signal(SIGHUP)
    try await service.waitForLog("direction: push → both")
    #expect(await eventually { (try? await tool.titles()["theirs"]) == "from the server" })
    try ServiceUnderTest.configure(tool, server.url, "directoin: \"push\",")
    service.process.signal(SIGHUP)
    try await service.waitForLog("not reloaded, and goes on as before")
    #expect(service.process.errors.contains("did you mean \"direction\""))
    try tool.folder.remove("syncd/config.json5")
    service.process.signal(SIGHUP)
    try await service.waitForLog("is not there any more")
    try ServiceUnderTest.configure(tool, server.url)
    #expect(try await service.sync().direction == "both")
    #expect(await service.stop() == 0)
  }

  @Test("SIGUSR1 synchronizes now")
  func now() async throws {
    let (tool, server) = try await Tool.synced(1)
    let service = try await ServiceUnderTest(tool, server.url)
    try await service.waitForLog("state: online")
    let before = service.process.errors.components(of: "run started")
    service.process.signal(SIGUSR1)
    try await service.waitForLog("run started", times: before + 1)
    #expect(await service.stop() == 0)
  }

  @Test("the service manager is told: ready, status, reloading, stopping")
  func notify() async throws {
    let (tool, server) = try await Tool.synced(1)
    let manager = try DatagramReceiver(path: tool.folder.file("notify.sock"))
    let service = try await ServiceUnderTest(
      tool, server.url,
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "3000000"])
    #expect(await eventually { manager.messages.contains { $0.hasPrefix("READY=1") } })
    #expect(await eventually { manager.messages.contains("WATCHDOG=1") })
    #expect(await eventually { manager.messages.contains { $0.hasPrefix("STATUS=in sync") } })
    service.process.signal(SIGHUP)
    #expect(
      await eventually {
        manager.messages.contains { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") }
      })
    #expect(await service.stop() == 0)
    #expect(await eventually { manager.messages.contains("STOPPING=1") })
  }
}
