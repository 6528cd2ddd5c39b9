import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The service as people run it: the real binary, a real store, a real server.
@Suite("The service, end to end")
struct ServiceEndToEndTests {
  @Test("an edit by the sqlite3 shell goes out by itself, and nothing follows it")
  func edit() async throws {
    let (tool, server) = try await Tool.synced(3)
    let service = try await ServiceUnderTest(tool, server.url)
    try await service.waitForLog("state: online")
    try await tool.sql("UPDATE projects SET title = 'by hand' WHERE id = 'p1'")
    #expect(
      await eventually { server.titles["p1"] == "by hand" }, "\(service.process.errors)")
    try await tool.sql("DELETE FROM projects WHERE id = 'p2'")
    #expect(await eventually { server.titles["p2"] == nil })
    #expect(try await service.sync().outcome == "inSync")
    server.wire.forgetRequests()
    #expect(try await service.sync().remote.total == 0)
    #expect(server.writes.isEmpty)
    #expect(await service.stop() == 0)
  }

  @Test("a remote that goes away and comes back is found again, with what was changed meanwhile")
  func outage() async throws {
    let tool = try Tool()
    let first = try await tool.serve()
    let port = first.url.split(separator: ":").last?.split(separator: "/").first ?? ""
    let service = try await ServiceUnderTest(tool, first.url)
    try await service.waitForLog("state: online")
    first.process.signal(SIGTERM)
    _ = await first.process.wait()
    try await tool.run("add", "written offline")
    try await service.waitForLog("state: backingOff")
    #expect(try await service.status().pending == 1)
    let again = try tool.start([
      "serve", "--listen", "127.0.0.1:\(port)", "--store", tool.folder.file("remote.db"),
    ])
    _ = try await again.line(startingWith: "listening on ")
    #expect(await eventually { (try? await service.status().pending) == 0 })
    try await service.waitForLog("in sync again, after")
    #expect(try await service.sync().remote.total == 0)
    #expect(await service.stop() == 0)
  }

  @Test("sync, pause and resume do as they say, also from another process")
  func control() async throws {
    let (tool, server) = try await Tool.synced(2)
    let service = try await ServiceUnderTest(tool, server.url)
    try await service.waitForLog("state: online")
    let paused = try await service.ask("pause", "--for", "2h", "--json")
    #expect(paused.status == 0)
    #expect(paused.output.contains(#""state":"paused""#))
    try await tool.run("edit", "p0", "--title", "while paused")
    #expect(try await service.status().service.state == "paused")
    #expect(server.writes.isEmpty)
    // Somebody asks: a pause is for what nobody asks for.
    #expect(try await service.sync().remote.updated == 1)
    #expect(server.titles["p0"] == "while paused")
    #expect(try await service.ask("resume").status == 0)
    #expect(try await service.status().service.running)
    #expect(try await service.sync().remote.total == 0)
    #expect(await service.stop() == 0)
    let afterwards = try await service.status()
    #expect(!afterwards.service.running && afterwards.service.state == "stopped")
    #expect(try await service.ask("sync").status == 75)
  }

  @Test("watch tells of a run, as lines and as objects")
  func watch() async throws {
    let (tool, server) = try await Tool.synced(1)
    let service = try await ServiceUnderTest(tool, server.url)
    try await service.waitForLog("state: online")
    let lines = try tool.start(["watch"])
    let objects = try tool.start(["watch", "--json"])
    #expect(
      await eventually {
        // Each has begun to follow once it sees a run that was asked for after it started.
        _ = try? await service.ask("sync", "--wait")
        return lines.output.contains("in sync: nothing to do")
          && objects.output.contains(#"{"event":"finished""#)
      })
    #expect(await service.stop() == 0)
    #expect(await lines.wait().status == 75)
    #expect(await objects.wait().status == 75)
  }

  @Test("changes of another device are heard of at once where the remote tells of them")
  func remoteEvents() async throws {
    let tool = try Tool()
    let other = try Tool()
    let remote = try await tool.serve()
    let service = try await ServiceUnderTest(tool, remote.url, settings: #"direction: "both","#)
    try await service.waitForLog("state: online")
    try await other.run("add", "from elsewhere", "--id", "x1")
    #expect(try await other.once(remote.url).report.remote.appended == 1)
    #expect(await eventually { (try? await tool.titles()) == ["x1": "from elsewhere"] })
    #expect(try await service.sync().remote.total == 0)
    #expect(await service.stop() == 0)
  }

  @Test("a thousand changes in a burst are few runs")
  func burst() async throws {
    let tool = try Tool()
    let remote = try await tool.serve()
    let service = try await ServiceUnderTest(tool, remote.url)
    try await service.waitForLog("state: online")
    let before = service.process.errors.components(of: "run started")
    try await tool.sql(
      (0..<1000).map { "INSERT INTO projects(id, title) VALUES('b\($0)', 'burst');" }.joined())
    #expect(await eventually { (try? await service.status().pending) == 0 })
    #expect(service.process.errors.components(of: "run started") - before <= 3)
    #expect(try await service.sync().remote.total == 0)
    #expect(await service.stop() == 0)
  }

  @Test("a hook is told of a run, and of trouble, as JSON; the token is not in its environment")
  func hooks() async throws {
    let (tool, server) = try await Tool.synced(1)
    let told = tool.folder.file("told")
    let hook = #"["/bin/sh", "-c", "{ cat; env; } >> \#(told)"]"#
    let service = try await ServiceUnderTest(
      tool, server.url, settings: "hooks: { onSync: \(hook), onFailure: \(hook) },",
      environment: ["SYNCD_TOKEN": "s3cret"])
    try await service.waitForLog("hooks.onSync: done")
    server.intercept { _ in .response(500, body: "broken") }
    try await service.ask("sync", "--wait")
    try await service.waitForLog("hooks.onFailure: done")
    server.intercept(nil)
    let text = try tool.folder.read("told")
    #expect(text.contains(#"{"event":"sync","at":""#) && text.contains(#""outcome":"inSync""#))
    #expect(text.contains(#"{"event":"failure","#))
    #expect(!text.contains("s3cret"))
    #expect(await service.stop() == 0)
  }

  @Test("a second service on the same store is refused and names the first")
  func second() async throws {
    let (tool, server) = try await Tool.synced(1)
    let service = try await ServiceUnderTest(tool, server.url)
    let second = try await tool.start(["run"]).wait()
    #expect(second.status == 75)
    #expect(second.errors.contains("process \(service.process.pid)"))
    #expect(await service.stop() == 0)
  }

  #if os(Linux)
    @Test("started by systemd at the first use of its socket, it answers that use")
    func activated() async throws {
      let (tool, server) = try await Tool.synced(1)
      try ServiceUnderTest.configure(tool, server.url)
      let process = try tool.start(
        program: "/usr/bin/systemd-socket-activate",
        [
          "-l", tool.folder.file("control.sock"), "--fdname=control",
          "-E", "XDG_CONFIG_HOME=\(tool.folder.path)", "-E", "HOME=\(tool.folder.path)",
          Tool.path, "run", "-v",
        ])
      let service = ServiceUnderTest(tool, process: process)
      try await service.waitForLog("Listening on")
      try await tool.run("edit", "p0", "--title", "by socket")
      #expect(try await service.sync().outcome == "inSync")
      #expect(server.titles["p0"] == "by socket")
      #expect(await service.stop() == 0)
      #expect(access(service.socket, F_OK) == 0, "the socket is not ours to remove")
    }

    @Test("a socket that is handed over and that anyone could reach is refused")
    func handedTCP() async throws {
      let (tool, server) = try await Tool.synced(1)
      try ServiceUnderTest.configure(tool, server.url)
      let script = """
        import os, socket, sys
        listening = socket.create_server(("127.0.0.1", 0))
        os.dup2(listening.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="control")
        os.execv(sys.argv[1], sys.argv[1:])
        """
      let refused = try await tool.start(
        program: "/usr/bin/python3", ["-c", script, Tool.path, "run"]
      ).wait()
      #expect(refused.status == 78, "\(refused.errors)")
      #expect(refused.errors.contains("no unix socket"), "\(refused.errors)")
    }
  #endif

  @Test("a socket file that was left behind is replaced; a file that is none never is")
  func socketFile() async throws {
    let (tool, server) = try await Tool.synced(1)
    let killed = try await ServiceUnderTest(tool, server.url)
    killed.process.signal(SIGKILL)
    _ = await killed.process.wait()
    #expect(access(killed.socket, F_OK) == 0)
    let next = try await ServiceUnderTest(tool, server.url)
    #expect(try await next.sync().outcome == "inSync")
    #expect(await next.stop() == 0)
    #expect(access(next.socket, F_OK) != 0)
    try tool.folder.write("precious", to: "control.sock")
    let refused = try await tool.start(["run"]).wait()
    #expect(refused.status == 78 || refused.status == 75)
    #expect(refused.errors.contains("control.sock"))
    #expect(try tool.folder.read("control.sock") == "precious")
  }
}
