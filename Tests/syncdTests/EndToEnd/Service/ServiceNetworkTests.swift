#if os(Linux)
  import Glibc
  import TestSupport
  import Testing

  /// The service in a network of its own, its remote in another, and a cable between them.
  @Suite("The service and the network")
  struct ServiceNetworkTests {
    /// Two networks: the service's link is `c0`, 10.77.0.1; the remote's is `s0`, 10.77.0.2, and
    /// behind it 10.78.0.1, which only a route leads to.
    private struct World {
      let client: NetworkNamespace
      let server: NetworkNamespace
      let tool: Tool
      let token: String
      let follower: ChildProcess
      let service: ServiceUnderTest
      private let remote: ChildProcess

      /// - Parameter names: a file in the place of `/etc/hosts`, for the service alone, whose
      ///   remote cannot be found yet.
      init(address: String = "10.77.0.2", names: String? = nil) async throws {
        client = try await NetworkNamespace()
        server = try await NetworkNamespace()
        tool = try Tool()
        try await client.ip("link", "set", "lo", "up")
        try await server.ip("link", "set", "lo", "up")
        try await client.addCable("c0", to: server, "s0")
        try await client.ip("addr", "add", "10.77.0.1/24", "dev", "c0")
        try await server.ip("addr", "add", "10.77.0.2/24", "dev", "s0")
        try await server.ip("addr", "add", "10.78.0.1/32", "dev", "lo")
        try await server.ip("link", "set", "s0", "up")
        try await client.ip("link", "set", "c0", "up")
        try await client.ip("route", "add", "default", "via", "10.77.0.2")
        let store = tool.folder.file("remote.db")
        let made = try await tool.start([
          "serve", "token", "add", "--space", "team", "--access", "write", "--store", store,
        ]).wait()
        token = made.output.split(separator: "\n").first.map(String.init) ?? ""
        remote = try await server.start(
          Tool.path, ["serve", "--listen", "0.0.0.0:8383", "--store", store], tool)
        _ = try await remote.line(startingWith: "listening on ")
        follower = try await server.start(
          "/usr/bin/curl",
          [
            "-sN", "-H", "Accept: text/event-stream", "-H", "Authorization: Bearer \(token)",
            "http://127.0.0.1:8383/v1/projects/events",
          ],
          tool)
        let following = follower
        #expect(await eventually { following.output.contains("event: changed") })
        try ServiceUnderTest.configure(tool, "http://\(address):8383/v1/projects")
        var command = [Tool.path, "run", "-v"]
        if let names {
          command = [
            "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
            #"mount --bind "$1" /etc/hosts && exec "$0" run -v"#, Tool.path, names,
          ]
        }
        let process = try await client.start(
          command[0], Array(command.dropFirst()), tool, ["SYNCD_TOKEN": token])
        service = ServiceUnderTest(tool, process: process)
        try await service.waitForLog(names == nil ? "state: online" : "state: backingOff")
      }

      /// Writes a project, and returns how to wait until the remote has it.
      func edit(_ id: String) async throws -> Int {
        let before = follower.output.components(of: "event: changed")
        try await tool.run("add", "written offline", "--id", id)
        return before
      }

      func arrives(after count: Int) async -> Bool {
        await eventually { follower.output.components(of: "event: changed") > count }
      }

      /// A run has nothing to do, and the service ends well.
      func end() async throws {
        #expect(try await service.sync().remote.total == 0)
        #expect(try await service.status().pending == 0)
        #expect(await service.stop() == 0)
      }
    }

    @Test(
      "a link that comes up is used at once",
      .enabled("the kernel lets tests make networks") { await NetworkNamespace.isAvailable() })
    func link() async throws {
      let world = try await World()
      var latencies = Latencies()
      for round in 0..<rounds(2, thorough: 20) {
        try await world.client.ip("link", "set", "c0", "down")
        let before = try await world.edit("l\(round)")
        try await world.service.waitForLog("the network is down", times: round + 1)
        try await world.client.ip("link", "set", "c0", "up")
        let up = ContinuousClock.now
        try await world.client.ip("route", "replace", "default", "via", "10.77.0.2")
        #expect(await world.arrives(after: before))
        latencies.add(up.duration(to: .now))
      }
      latencies.print("link up to the edit on the remote")
      if isThorough { #expect(latencies.median < .seconds(2)) }
      try await world.end()
    }

    @Test(
      "a default route that comes back is used at once",
      .enabled("the kernel lets tests make networks") { await NetworkNamespace.isAvailable() })
    func route() async throws {
      let world = try await World(address: "10.78.0.1")
      var latencies = Latencies()
      for round in 0..<rounds(2, thorough: 20) {
        try await world.client.ip("route", "del", "default")
        let before = try await world.edit("r\(round)")
        try await world.service.waitForLog("state: backingOff", times: round + 1)
        try await world.client.ip("route", "add", "default", "via", "10.77.0.2")
        let up = ContinuousClock.now
        #expect(await world.arrives(after: before))
        latencies.add(up.duration(to: .now))
      }
      latencies.print("default route back to the edit on the remote")
      if isThorough { #expect(latencies.median < .seconds(2)) }
      try await world.end()
    }

    @Test(
      "fifty flaps in a row leave one clean state and a bounded number of requests",
      .enabled("the kernel lets tests make networks") { await NetworkNamespace.isAvailable() })
    func flaps() async throws {
      let world = try await World()
      let runs = world.service.process.errors.components(of: "run started")
      for _ in 0..<50 {
        try await world.client.ip("link", "set", "c0", "down")
        try await world.client.ip("link", "set", "c0", "up")
      }
      try await world.client.ip("route", "replace", "default", "via", "10.77.0.2")
      let before = try await world.edit("after")
      #expect(await world.arrives(after: before))
      #expect(await eventually { (try? await world.service.status().service.state) == "online" })
      let attempts =
        world.service.process.errors.components(of: "run started")
        + world.service.process.errors.components(of: "state: probing") - runs
      #expect(attempts < 60, "\(attempts) attempts")
      try await world.end()
    }

    @Test(
      "names that cannot be looked up, and then can, need nobody's help",
      .enabled("the kernel lets tests make networks") { await NetworkNamespace.isAvailable() })
    func names() async throws {
      let folder = try TemporaryFolder()
      try folder.write("127.0.0.1 localhost\n", to: "hosts")
      let world = try await World(address: "board.test", names: folder.file("hosts"))
      let before = try await world.edit("named")
      let log = world.service.process.errors
      #expect(log.contains("Resolving timed out") || log.contains("resolve host"))
      // Into the same file: another under its name would not be the one that is mounted.
      try folder.write(
        Array("127.0.0.1 localhost\n10.77.0.2 board.test\n".utf8), to: "hosts")
      #expect(await world.arrives(after: before))
      try await world.end()
    }

    @Test(
      "packets that are dropped without a word hold nothing up for ever",
      .enabled("the kernel lets tests make networks") {
        if !isThorough { return false }
        return await NetworkNamespace.isAvailable()
      })
    func dropped() async throws {
      let world = try await World()
      // The remote's link takes nothing in and says nothing, and the service's link stays up.
      try await world.server.ip("route", "add", "blackhole", "10.77.0.1/32")
      let before = try await world.edit("dropped")
      try await Task.sleep(for: .seconds(60))
      try await world.server.ip("route", "del", "blackhole", "10.77.0.1/32")
      #expect(await world.arrives(after: before))
      try await world.end()
    }
  }

  extension NetworkNamespace {
    /// Starts a program inside.
    fileprivate func start(
      _ path: String, _ arguments: [String], _ tool: Tool, _ environment: [String: String] = [:]
    ) async throws -> ChildProcess {
      let variables = ["XDG_CONFIG_HOME": tool.folder.path, "HOME": tool.folder.path]
        .merging(environment) { $1 }
      return try await inside {
        try ChildProcess(path, arguments, environment: variables, lifetime: 300)
      }
    }

    /// Lays a cable from here to another network.
    fileprivate func addCable(
      _ name: String, to other: NetworkNamespace, _ otherName: String
    ) async throws {
      let end = try await other.start("/bin/sleep", ["60"], Tool())
      try await ip(
        "link", "add", name, "type", "veth", "peer", "name", otherName, "netns", "\(end.pid)")
      end.signal(SIGKILL)
    }
  }
#endif
