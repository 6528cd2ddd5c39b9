import SyncServer
import TestSupport
import Testing

@Suite("Events", .timeLimit(.minutes(3)))
struct EventsTests {
  private static let accept = ["Accept": "text/event-stream"]

  private func follow(
    _ running: Running, _ headers: [String: String] = [:]
  ) throws -> SocketClient {
    let client = try SocketClient(port: Int(running.client.port))
    client.request(
      "GET", "/v1/projects/events", Self.accept.merging(headers) { $1 })
    return client
  }

  @Test("one event says at once what the collection's version is, and one comes for each change")
  func changes() throws {
    try Running.with { (server) throws in
      #expect(try server.put("a").status == 201)
      let tag = try #require(try server.get()["ETag"]).replacing("\"", with: "\\\"")
      let follower = try follow(server)
      let first = try follower.read(until: "}\n\n")
      #expect(first.hasPrefix("HTTP/1.1 200"))
      #expect(first.contains("Content-Type: text/event-stream"))
      #expect(first.contains("id: 1\nevent: changed\ndata: {\"version\":\"\(tag)\"}\n\n"))
      #expect(try server.put("b").status == 201)
      let second = try follower.read(until: "}\n\n")
      #expect(second.contains("id: 2\nevent: changed\n"))
      let now = try #require(try server.get()["ETag"]).replacing("\"", with: "\\\"")
      #expect(second.contains(now))
      #expect(try server.delete("a").status == 204)
      #expect(try follower.read(until: "}\n\n").contains("id: 3\n"))
    }
  }

  @Test("a write that changes nothing is no event; a batch is one")
  func batches() throws {
    try Running.with { (server) throws in
      #expect(try server.put("a").status == 201)
      let follower = try follow(server, ["Last-Event-ID": "1"])
      _ = try follower.read(until: "retry: ")
      #expect(try server.put("a").status == 200)
      let stamp = Running.stamp
      let lines = (0..<5).map { "{\"put\":{\"id\":\"b\($0)\",\"updatedAt\":\"\(stamp)\"}}\n" }
      #expect(try server.post("batch", lines.joined()).status == 200)
      let text = try follower.read(until: "}\n\n")
      #expect(text.contains("id: 6\n"))
      #expect(!text.contains("id: 1\n") && !text.contains("id: 2\n"))
    }
  }

  @Test("who knows the last change hears of nothing; who knows an older one hears at once")
  func lastEventID() throws {
    try Running.with { (server) throws in
      for id in ["a", "b"] { #expect(try server.put(id).status == 201) }
      let behind = try follow(server, ["Last-Event-ID": "1"])
      #expect(try behind.read(until: "}\n\n").contains("id: 2\n"))
      let current = try follow(server, ["Last-Event-ID": "2"])
      _ = try current.read(until: "retry: 1000\n\n")
      #expect(try server.put("c").status == 201)
      let text = try current.read(until: "}\n\n")
      #expect(text.contains("id: 3\n") && !text.contains("id: 2\n"))
      let strange = try follow(server, ["Last-Event-ID": "x\"{}"])
      #expect(try strange.read(until: "}\n\n").contains("id: 3\n"))
    }
  }

  @Test("a space's events are for its tokens alone, and end when the token is revoked")
  func spaces() async throws {
    let clock = TestClock()
    var options = SyncServer.Options(storePath: ":memory:")
    options.listen = "127.0.0.1:0"
    options.heartbeatClock = clock
    let server = try SyncServer(options)
    defer { server.stop() }
    let mine = try server.tokens.add(space: "mine", access: .read)
    let other = try server.tokens.add(space: "other", access: .write)
    let port = UInt16(server.url.split(separator: "/")[1].split(separator: ":")[1]) ?? 0
    let running = Running(server: server, client: RawClient(port: port, token: other))

    let refused = try follow(running)
    #expect(try await refused.readToEnd().hasPrefix("HTTP/1.1 401"))
    let follower = try follow(running, ["Authorization": "Bearer \(mine)"])
    _ = try await follower.read(until: "}\n\n")
    #expect(try running.put("a").status == 201)
    let id = try #require(try server.tokens.list().first { $0.space == "mine" }?.id)
    #expect(try server.tokens.revoke(id))
    try await clock.advance(by: .seconds(20))
    #expect(!(try await follower.readToEnd()).contains("changed"))
  }

  @Test("more than may follow get 503, and the other requests their answers")
  func limit() throws {
    var limits = SyncServer.Limits()
    limits.followers = 2
    limits.threads = 2
    try Running.with(limits: limits) { (server) throws in
      let followers = try (0..<2).map { _ in
        let follower = try follow(server)
        _ = try follower.read(until: "}\n\n")
        return follower
      }
      let reply = try server.get("/events", Self.accept)
      #expect(try reply.problem().status == 503)
      #expect(reply["Retry-After"] == "30")
      #expect(try server.put("a").status == 201)
      for follower in followers { #expect(try follower.read(until: "}\n\n").contains("id: 1\n")) }
    }
  }

  @Test("the record called events is a record; HEAD asks for a head")
  func otherRequests() throws {
    try Running.with { (server) throws in
      #expect(try server.put("events").status == 201)
      #expect(try server.get("/events").text.contains("\"id\":\"events\""))
      let head = try server.client.send("HEAD", "/v1/projects/events", Self.accept)
      #expect(head.status == 200)
      #expect(head["Content-Type"] == "text/event-stream")
    }
  }

  @Test("a server that stops ends the answers of those who follow")
  func stop() throws {
    let follower = try Running.with { (server) throws in
      let follower = try follow(server)
      _ = try follower.read(until: "}\n\n")
      return follower
    }
    // Returns once the connection is closed.
    _ = try follower.readToEnd()
  }
}
