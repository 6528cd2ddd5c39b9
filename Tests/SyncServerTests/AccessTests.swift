import SyncServer
import Testing

@Suite("Tokens and spaces")
struct AccessTests {
  @Test("loopback without a token is open, and closes with the first token")
  func open() throws {
    try Running.with { (server) throws in
      #expect(server.server.isOpen)
      #expect(try server.get().status == 200)
      let token = try server.server.tokens.add(space: "mine", access: .write)
      #expect(!server.server.isOpen)
      let refused = try server.get()
      #expect(try refused.problem().status == 401)
      #expect(refused["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
      var client = server
      client.client.token = token
      #expect(try client.get().status == 200)
    }
  }

  @Test(
    "without a token, what a web page may have sent is refused",
    arguments: [
      ("Host", "rebound.example"), ("Host", "rebound.example:8383"), ("Host", "127.0.0.1.example"),
      ("Host", "10.0.0.1"), ("Origin", "https://page.example"), ("Origin", "null"),
      ("Origin", "http://127.0.0.1:8383"), ("Sec-Fetch-Site", "cross-site"),
      ("Sec-Fetch-Site", "same-site"),
    ])
  func webPages(_ name: String, _ value: String) throws {
    try Running.with { (server) throws in
      #expect(try server.put("a").status == 201)
      for target in ["", "/a", "/changes?since=0"] {
        #expect(try server.get(target, [name: value]).problem().status == 403)
      }
      #expect(try server.put("b", "", [name: value]).problem().status == 403)
      #expect(try server.delete("a", [name: value]).problem().status == 403)
      #expect(try server.listing().entries.map(\.id) == ["a"])
      var client = server
      client.client.token = try server.server.tokens.add(space: "default", access: .write)
      #expect(try client.get("/a", [name: value]).status == 200)
    }
  }

  @Test(
    "without a token, a server goes by any name of this machine",
    arguments: ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.9.9:1", "[::1]", "[::1]:8383"])
  func ownNames(_ host: String) throws {
    try Running.with { (server) throws in
      let headers = ["Host": host, "Sec-Fetch-Site": "none"]
      #expect(try server.get("", headers).status == 200)
      #expect(try server.put("a", "", headers).status == 201)
    }
  }

  @Test("without a token, a body has to say what it is", arguments: [nil, "text/plain"])
  func untyped(_ type: String?) throws {
    try Running.with { (server) throws in
      let headers = type.map { ["Content-Type": $0] } ?? [:]
      let bodies = [
        ("PUT", "/a", "{\"updatedAt\":\"\(Running.stamp)\"}"), ("POST", "/fetch", "[]"),
        ("POST", "/batch", ""), ("POST", "/compare", ""),
      ]
      for (method, target, body) in bodies {
        let reply = try server.client.send(
          method, Running.path + target, headers, body: Array(body.utf8))
        #expect(try reply.problem().status == 415, "\(target)")
      }
      #expect(try server.listing().entries.isEmpty)
    }
  }

  @Test("revoking takes the right at once and never opens the server again")
  func revoking() throws {
    try Running.with { (server) throws in
      let tokens = server.server.tokens
      var client = server
      client.client.token = try tokens.add(space: "mine", access: .write)
      #expect(try client.put("a").status == 201)
      let id = try #require(try tokens.list().first?.id)
      #expect(try tokens.revoke(id))
      #expect(try !tokens.revoke(id))
      #expect(try client.get().problem().status == 401)
      #expect(try server.get().problem().status == 401)
      #expect(try tokens.list().map(\.isRevoked) == [true])
    }
  }

  @Test("a token for reading reads, and writes nothing")
  func readOnly() throws {
    try Running.with { (server) throws in
      var writer = server
      var reader = server
      writer.client.token = try server.server.tokens.add(space: "s", access: .write)
      reader.client.token = try server.server.tokens.add(space: "s", access: .read)
      #expect(try writer.put("a").status == 201)
      #expect(try reader.listing().entries.map(\.id) == ["a"])
      #expect(try reader.fetch(["a"]).status == 200)
      #expect(try reader.get("/changes?since=0").status == 200)
      #expect(try reader.put("b").problem().status == 403)
      #expect(try reader.delete("a").problem().status == 403)
      #expect(try reader.post("batch", #"{"delete":"a"}"#).problem().status == 403)
      #expect(try writer.listing().entries.map(\.id) == ["a"])
    }
  }

  @Test("spaces hold nothing of each other")
  func spaces() throws {
    try Running.with { (server) throws in
      var one = server
      var two = server
      one.client.token = try server.server.tokens.add(space: "one", access: .write)
      two.client.token = try server.server.tokens.add(space: "two", access: .write)
      #expect(try one.put("a", #","title":"one""#).status == 201)
      #expect(try two.get("/a").status == 404)
      #expect(try two.put("a", #","title":"two""#, ["If-None-Match": "*"]).status == 201)
      #expect(try one.get("/a").text.contains("one"))
      let (first, second) = (try one.get(), try two.get())
      #expect(first["Syncd-Remote-ID"] != second["Syncd-Remote-ID"])
      #expect(first["ETag"] != second["ETag"])
      #expect(try two.delete("a").status == 204)
      #expect(try one.listing().entries.count == 1)
      #expect(try two.get("/changes?since=0").decode(Changes.self).changes.map(\.seq) == [2])
    }
  }

  @Test(
    "what is not the token is 401",
    arguments: [
      "", "x", "syncd_", "syncd__", "syncd_000000000000_00", "Basic", "syncd_a_b_c",
    ])
  func wrong(_ token: String) throws {
    try Running.with { (server) throws in
      _ = try server.server.tokens.add(space: "s", access: .write)
      var client = server
      client.client.token = token
      #expect(try client.get().problem().status == 401)
    }
  }

  @Test("the right id with a secret that differs in its last digit is 401")
  func almost() throws {
    try Running.with { (server) throws in
      let token = try server.server.tokens.add(space: "s", access: .write)
      var client = server
      client.client.token = String(token.dropLast()) + (token.hasSuffix("0") ? "1" : "0")
      #expect(try client.get().problem().status == 401)
    }
  }

  @Test("an address that others can reach is refused without a token, and taken with one")
  func otherAddresses() throws {
    try Running.withFile { path in
      var options = SyncServer.Options(storePath: path)
      options.listen = "0.0.0.0:0"
      let error = #expect(throws: ServerError.self) { try SyncServer(options).stop() }
      #expect(error?.code == .configuration)
      #expect(error?.message.contains("serve token add") == true)
      _ = try TokenStore(storePath: path).add(space: "s", access: .read)
      let server = try SyncServer(options)
      #expect(!server.isOpen)
      server.stop()
    }
  }

  @Test("a token made by another process counts at the next request, and only its hash is kept")
  func otherProcess() throws {
    try Running.withFile { path in
      try Running.with(path: path) { (server) throws in
        #expect(try server.get().status == 200)
        let token = try TokenStore(storePath: path).add(space: "s", access: .write)
        #expect(try server.get().status == 401)
        var client = server
        client.client.token = token
        #expect(try client.get().status == 200)
        let secret = Array(try #require(token.split(separator: "_").last).utf8)
        for suffix in ["", "-wal"] {
          let bytes = try contents(of: path + suffix)
          #expect(!bytes.contains(secret))
        }
      }
    }
  }

  @Test("health needs no token; metrics do", arguments: ["GET", "HEAD"])
  func health(_ method: String) throws {
    try Running.with { (server) throws in
      _ = try server.server.tokens.add(space: "s", access: .read)
      #expect(try server.client.send(method, "/healthz").status == 200)
      #expect(try server.client.send(method, "/metrics").status == 401)
    }
  }

  @Test(
    "names of spaces are plain",
    arguments: ["", "a b", "a/b", "é", String(repeating: "x", count: 65)])
  func badNames(_ name: String) throws {
    try Running.with { (server) throws in
      #expect(throws: ServerError.self) {
        try server.server.tokens.add(space: name, access: .read)
      }
    }
  }
}
