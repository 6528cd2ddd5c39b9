#if os(Linux)
  import TestSupport
  import Testing

  @testable import SyncKit

  /// In a network that each test makes for itself.
  @Suite(
    "The network as Linux tells it (not run where the kernel refuses namespaces)",
    .timeLimit(.minutes(2)), .enabled { await NetworkNamespace.isAvailable() })
  struct NetlinkConnectivityTests {
    let namespace: NetworkNamespace

    init() async throws { namespace = try await NetworkNamespace() }

    private func follow(
      _ connectivity: NetlinkConnectivity = NetlinkConnectivity()
    ) async throws -> AsyncStream<NetworkPath>.Iterator {
      try await paths(connectivity).makeAsyncIterator()
    }

    private func paths(
      _ connectivity: NetlinkConnectivity = NetlinkConnectivity()
    ) async throws -> AsyncStream<NetworkPath> {
      try await namespace.inside { connectivity.paths() }
    }

    /// Waits until one who has followed and one who has not tell the same, with the link up, and then
    /// once more after it went down.
    ///
    /// Both are heard to the end: a look at a network that still changes may be a state that never
    /// was, since the kernel tells of links and of addresses one after the other.
    ///
    /// - Returns: how many states were told to the one who has followed.
    private func agreement(_ followed: AsyncStream<NetworkPath>) async throws -> Int {
      let fresh = try await paths()
      let (heard, continuation) = AsyncStream.makeStream(
        of: (isFresh: Bool, path: NetworkPath).self)
      let ears = [(false, followed), (true, fresh)].map { isFresh, paths in
        Task { for await path in paths { continuation.yield((isFresh, path)) } }
      }
      defer { for ear in ears { ear.cancel() } }
      var latest: [Bool: NetworkPath] = [:]
      var steps = 0
      var isUp = true
      for await (isFresh, path) in heard {
        if !isFresh {
          #expect(path != latest[false], "told twice")
          steps += 1
        }
        latest[isFresh] = path
        guard path.isUp == isUp, latest[!isFresh] == path else { continue }
        if !isUp { return steps }
        try await namespace.ip("link", "set", "far", "down")
        isUp = false
      }
      throw Ended()
    }

    private struct Ended: Error {}

    @Test("loopback alone is no network")
    func loopback() async throws {
      try await namespace.ip("link", "set", "lo", "up")
      var paths = try await follow()
      #expect(await paths.next()?.isUp == false)
    }

    @Test("a link comes up with its address, and goes with its cable, its switch or itself")
    func comesAndGoes() async throws {
      var paths = try await follow()
      #expect(await paths.next()?.isUp == false)
      try await namespace.makeCable()
      #expect(await paths.next()?.isUp == true)
      try await namespace.ip("link", "set", "far", "down")
      #expect(await paths.next()?.isUp == false)
      try await namespace.ip("link", "set", "far", "up")
      #expect(await paths.next()?.isUp == true)
      try await namespace.ip("link", "set", "near", "down")
      #expect(await paths.next()?.isUp == false)
      try await namespace.ip("link", "set", "near", "up")
      #expect(await paths.next()?.isUp == true)
      try await namespace.ip("addr", "flush", "dev", "near")
      #expect(await paths.next()?.isUp == false)
      try await namespace.ip("addr", "add", "192.0.2.7/24", "dev", "near")
      #expect(await paths.next()?.isUp == true)
      try await namespace.ip("link", "delete", "near")
      #expect(await paths.next()?.isUp == false)
    }

    @Test("an address of the link alone reaches nothing")
    func linkLocal() async throws {
      try await namespace.makeCable()
      try await namespace.ip("addr", "flush", "dev", "near")
      var paths = try await follow()
      #expect(await paths.next()?.isUp == false)
      try await namespace.ip("addr", "add", "169.254.3.4/16", "dev", "near", "scope", "link")
      try await namespace.ip("addr", "add", "fe80::5/64", "dev", "near", "nodad")
      try await namespace.ip("addr", "add", "2001:db8::7/64", "dev", "near", "nodad")
      #expect(await paths.next()?.isUp == true)
    }

    @Test("a default route that comes, changes or goes is a change; another route is none")
    func routes() async throws {
      try await namespace.makeCable()
      try await namespace.ip("addr", "add", "2001:db8::7/64", "dev", "near", "nodad")
      var paths = try await follow()
      var seen = [try #require(await paths.next())]
      let changes: [[String]] = [
        ["add", "default", "via", "192.0.2.1"],
        ["replace", "default", "via", "192.0.2.2"],
        ["append", "default", "via", "192.0.2.3"],
        ["del", "default", "via", "192.0.2.3"],
        ["add", "default", "via", "2001:db8::1"],
        ["append", "default", "via", "2001:db8::2"],
        ["del", "default", "via", "2001:db8::1"],
      ]
      for (index, change) in changes.enumerated() {
        try await namespace.ip("route", "add", "203.0.113.\(index)", "via", "192.0.2.1")
        try await namespace.ip(["route"] + change)
        let path = try #require(await paths.next())
        #expect(path.isUp && path != seen.last, "\(change)")
        seen.append(path)
      }
      #expect(seen[4] == seen[2], "what was appended is gone again")
    }

    @Test("a default route that went with its link, without a word, is not remembered")
    func silentlyLostRoute() async throws {
      try await namespace.makeCable()
      try await namespace.ip("route", "add", "default", "via", "192.0.2.1")
      var paths = try await follow()
      _ = await paths.next()
      try await namespace.ip("link", "set", "near", "down")
      #expect(await paths.next()?.isUp == false)
      try await namespace.ip("link", "set", "near", "up")
      let back = try #require(await paths.next())
      try await namespace.ip("route", "add", "default", "via", "192.0.2.1")
      let whole = try #require(await paths.next())
      #expect(back.isUp && whole.isUp && back != whole)
    }

    @Test("links that carry no address, as those of containers, are no change")
    func otherLinks() async throws {
      try await namespace.makeCable()
      var paths = try await follow()
      let before = await paths.next()
      try await namespace.ip("link", "add", "one", "type", "veth", "peer", "other")
      try await namespace.ip("link", "set", "one", "up")
      try await namespace.ip("link", "set", "other", "up")
      try await namespace.ip("link", "delete", "one")
      try await namespace.ip("link", "add", "bridge", "type", "bridge")
      try await namespace.ip("link", "set", "near", "master", "bridge")
      try await namespace.ip("link", "set", "near", "nomaster")
      try await namespace.ip("link", "set", "far", "down")
      let after = await paths.next()
      #expect(before?.isUp == true && after?.isUp == false)
    }

    @Test("fifty flaps in one go end in the state that holds, told in no more than a hundred steps")
    func flaps() async throws {
      try await namespace.makeCable()
      let followed = try await paths()
      var first = followed.makeAsyncIterator()
      _ = await first.next()
      let batch = String(repeating: "link set far down\nlink set far up\n", count: 50)
      try await namespace.ip("-batch", "-", input: batch)
      try await namespace.ip("link", "set", "far", "down")
      try await namespace.ip("addr", "add", "198.51.100.1/24", "dev", "near")
      try await namespace.ip("link", "set", "far", "up")
      #expect(try await agreement(followed) <= 110)
    }

    @Test("with a buffer too small for what happens, the state that holds is still told")
    func overrun() async throws {
      try await namespace.makeCable()
      let followed = try await paths(NetlinkConnectivity(receiveBuffer: 1))
      var first = followed.makeAsyncIterator()
      _ = await first.next()
      let batch = String(
        repeating: "link set far down\naddr add 198.51.100.1/24 dev near\nlink set far up\n"
          + "addr del 198.51.100.1/24 dev near\n", count: 25)
      try await namespace.ip("-batch", "-", input: batch)
      try await namespace.ip("addr", "add", "198.51.100.2/24", "dev", "near")
      _ = try await agreement(followed)
    }
  }
#endif
