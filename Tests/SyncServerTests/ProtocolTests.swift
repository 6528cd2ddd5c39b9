import SyncServer
import Testing

@Suite("HTTP")
struct ProtocolTests {
  @Test(
    "unknown paths are 404",
    arguments: [
      "/", "/v1", "/v1/", "/v2/projects", "/v1/projects/a/b", "/v1/Projects", "*", "/x?y",
    ])
  func unknownPaths(_ path: String) throws {
    try Running.with { (server) throws in
      #expect(try server.client.send("GET", path).problem().status == 404)
    }
  }

  @Test("a method that a resource does not know is 405 and names those it does")
  func methods() throws {
    try Running.with { (server) throws in
      let known: [(String, String)] = [
        ("/v1/projects", "GET, HEAD"), ("/healthz", "GET, HEAD"), ("/metrics", "GET, HEAD"),
        ("/v1/projects/a", "GET, HEAD, PUT, DELETE"),
        ("/v1/projects/batch", "GET, HEAD, PUT, DELETE, POST"),
      ]
      for (path, allowed) in known {
        for method in ["PATCH", "TRACE", "OPTIONS", "POST", "PROPFIND"]
        where !allowed.contains(method) {
          let reply = try server.client.send(method, path, body: [])
          #expect(try reply.problem().status == 405)
          #expect(reply["Allow"] == allowed)
        }
      }
    }
  }

  @Test("a body of another type or coding is 415")
  func mediaTypes() throws {
    try Running.with { (server) throws in
      #expect(try server.put("a", "", ["Content-Type": "text/plain"]).problem().status == 415)
      #expect(try server.put("a", "", ["Content-Encoding": "gzip"]).problem().status == 415)
      #expect(try server.post("batch", "", type: "application/json").problem().status == 415)
      #expect(try server.post("fetch", "[]", type: "text/json").problem().status == 415)
      #expect(
        try server.put("a", "", ["Content-Type": "Application/JSON; charset=utf-8"]).status == 201)
    }
  }

  @Test("a write without a body is 411")
  func noBody() throws {
    try Running.with { (server) throws in
      #expect(try server.client.send("PUT", "/v1/projects/a").problem().status == 411)
      #expect(try server.client.send("POST", "/v1/projects/batch").problem().status == 411)
    }
  }

  @Test("a record over the limit is 413, told ahead or found on the way, and nothing is kept")
  func largeRecords() throws {
    var limits = SyncServer.Limits()
    limits.recordBytes = 1000
    try Running.with(limits: limits) { (server) throws in
      let fits = String(repeating: "x", count: 900)
      let large = String(repeating: "x", count: 300_000)
      #expect(try server.put("a", ",\"body\":\"\(fits)\"").status == 201)
      let problem = try server.put("b", ",\"body\":\"\(large)\"").problem()
      #expect(problem.status == 413)
      #expect(problem.maximumBytes == 1000)
      let size = String(large.utf8.count, radix: 16)
      let chunked = try server.client.send(
        "PUT", "/v1/projects/b",
        ["Transfer-Encoding": "chunked", "Content-Type": "application/json"],
        body: Array("\(size)\r\n\(large)\r\n0\r\n\r\n".utf8))
      #expect(try chunked.problem().status == 413)
      #expect(try server.get("/b").status == 404)
    }
  }

  @Test(
    "a length beyond all measure is refused before a byte of it comes",
    arguments: [
      "99999999999", "9223372036854775807",
    ])
  func hugeLength(_ length: String) throws {
    try Running.with { (server) throws in
      let reply = try server.client.send(
        "PUT", "/v1/projects/a",
        ["Content-Length": length, "Content-Type": "application/json"])
      #expect(try reply.problem().status == 413)
    }
  }

  @Test("bodies together have a limit: 503, and room again afterwards")
  func heldBodies() throws {
    var limits = SyncServer.Limits()
    limits.bodyBytesHeld = 1000
    try Running.with(limits: limits) { (server) throws in
      let reply = try server.put("a", ",\"body\":\"\(String(repeating: "x", count: 2000))\"")
      #expect(try reply.problem().status == 503)
      #expect(reply["Retry-After"] == "1")
      for _ in 0..<20 {
        #expect(
          try server.put("a", ",\"body\":\"\(String(repeating: "x", count: 500))\"").status < 300)
      }
    }
  }

  @Test("a long target is 414, long headers are 431")
  func longHeads() throws {
    try Running.with { (server) throws in
      let long = String(repeating: "x", count: 9000)
      #expect(try server.get("?a=\(long)").problem().status == 414)
      let headers = Dictionary(uniqueKeysWithValues: (0..<5).map { ("X-\($0)", long) })
      #expect(try server.get("", headers).problem().status == 431)
    }
  }

  @Test("a client that waits with its body hears the refusal at once")
  func expectContinue() throws {
    try Running.with { (server) throws in
      let reply = try server.client.send(
        "PUT", "/v1/projects/a",
        [
          "Expect": "100-continue", "Content-Length": "99999999",
          "Content-Type": "application/json",
        ])
      #expect(try reply.problem().status == 413)
      let body = Array("{\"updatedAt\":\"\(Running.stamp)\"}".utf8)
      let stored = try server.client.send(
        "PUT", "/v1/projects/a",
        ["Expect": "100-continue", "Content-Type": "application/json"], body: body)
      #expect(stored.status == 201)
    }
  }

  @Test("what is cut off in the middle of a body leaves nothing")
  func abandoned() throws {
    try Running.with { (server) throws in
      let head = "PUT /v1/projects/half HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      let body = "{\"updatedAt\":\"\(Running.stamp)\"}"
      try server.client.abandon("\(head)Content-Length: 1000\r\n\r\n\(body)")
      try server.client.abandon("\(head)Transfer-Encoding: chunked\r\n\r\n1f\r\n\(body)")
      try server.client.abandon("PUT /v1/projects/half HTTP/1.1\r\nHo")
      #expect(try server.put("whole").status == 201)
      #expect(try server.listing().entries.map(\.id) == ["whole"])
    }
  }

  @Test("clients that go away in the middle are noticed, and the room they took is free again")
  func roomAfterAbandoned() throws {
    var limits = SyncServer.Limits()
    limits.bodyBytesHeld = 1_000_000
    try Running.with(limits: limits) { (server) throws in
      let head = "PUT /v1/projects/half HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      let half = String(repeating: "x", count: 300_000)
      for _ in 0..<30 {
        try server.client.abandon("\(head)Content-Length: 900000\r\n\r\n\(half)")
      }
      let body = ",\"body\":\"\(String(repeating: "x", count: 900_000))\""
      var status = 503
      let end = ContinuousClock.now + .seconds(20)
      while status == 503, ContinuousClock.now < end {
        status = try server.put("whole", body).status
      }
      #expect(status == 201)
    }
  }

  @Test("two requests on one connection are two answers, and a target may be a whole URL")
  func pipelined() throws {
    try Running.with { (server) throws in
      let first = "GET http://any.example/healthz HTTP/1.1\r\nHost: x\r\n\r\n"
      let second = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      let text = String(
        decoding: try server.client.raw(Array((first + second).utf8)), as: UTF8.self)
      #expect(text.split(separator: "HTTP/1.1 200 OK\r\n").count == 2)
    }
  }

  @Test("a body where none is read does no harm")
  func strayBodies() throws {
    try Running.with { (server) throws in
      let body = Array("{}".utf8)
      _ = try server.put("a")
      #expect(try server.client.send("GET", "/v1/projects", body: body).status == 200)
      #expect(try server.client.send("DELETE", "/v1/projects/a", body: body).status == 204)
    }
  }

  @Test("more requests a second than allowed are 429, for each token on its own")
  func rate() throws {
    var limits = SyncServer.Limits()
    limits.requestsPerSecond = 0.0001
    try Running.with(limits: limits) { (server) throws in
      var one = server
      var two = server
      one.client.token = try server.server.tokens.add(space: "s", access: .read)
      two.client.token = try server.server.tokens.add(space: "s", access: .read)
      #expect(try one.get().status == 200)
      let refused = try one.get()
      #expect(try refused.problem().status == 429)
      #expect(refused["Retry-After"] == "1")
      #expect(try two.get().status == 200)
      #expect(try one.client.send("GET", "/healthz").status == 200)
    }
  }

  @Test("metrics count requests and say what is held")
  func metrics() throws {
    try Running.with { (server) throws in
      _ = try server.put("a")
      _ = try server.get("/none")
      let text = try server.client.send("GET", "/metrics").text
      #expect(text.contains("syncd_requests_total{method=\"PUT\",status=\"201\"} 1\n"))
      #expect(text.contains("syncd_requests_total{method=\"GET\",status=\"404\"} 1\n"))
      #expect(text.contains("syncd_records{space=\"default\"} 1\n"))
    }
  }
}
