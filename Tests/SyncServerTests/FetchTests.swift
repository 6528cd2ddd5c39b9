import SyncServer
import Testing

@Suite("Fetching many")
struct FetchTests {
  private struct Line: Decodable {
    var id: String
    var status: Int?
    var etag: String?
    var record: Entry?

    private enum Key: String, CodingKey { case id, status, etag, record, title }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      id = try values.decode(String.self, forKey: .id)
      status = try values.decodeIfPresent(Int.self, forKey: .status)
      etag = try values.decodeIfPresent(String.self, forKey: .etag)
    }
  }

  private func lines(_ reply: Reply) throws -> [Line] {
    try reply.lines.map { line in
      try Reply(status: 0, headers: [], body: Array(line.utf8)).decode(Line.self)
    }
  }

  @Test("one line for each id, in the order asked, also for those that are not there")
  func order() throws {
    try Running.with { (server) throws in
      let a = try server.put("a", #","n":1.50"#)
      _ = try server.put("b")
      let reply = try server.fetch(["b", "none", "a", "", "a"])
      #expect(reply["Content-Type"] == "application/x-ndjson")
      let lines = try lines(reply)
      #expect(lines.map(\.id) == ["b", "none", "a", "", "a"])
      #expect(lines.map(\.status) == [nil, 404, nil, 400, nil])
      #expect(lines[2].etag == a["ETag"])
      #expect(reply.lines[2].hasSuffix(",\"record\":\(a.text)}"))
    }
  }

  @Test("records of several megabytes come whole, one after the other")
  func large() throws {
    try Running.with { (server) throws in
      let body = String(repeating: "x", count: 1 << 20)
      let ids = (0..<6).map { "r\($0)" }
      for id in ids { _ = try server.put(id, ",\"body\":\"\(body)\"") }
      let reply = try server.fetch(ids)
      #expect(try lines(reply).map(\.id) == ids)
      #expect(reply.body.count > 6 << 20)
    }
  }

  @Test("no ids, no lines")
  func none() throws {
    try Running.with { (server) throws in
      let reply = try server.fetch([])
      #expect(reply.status == 200)
      #expect(reply.body.isEmpty)
    }
  }

  @Test(
    "what is no array of ids is 400", arguments: ["", "{}", "[1]", "[\"a\"", "null", "[[\"a\"]]"])
  func noArray(_ body: String) throws {
    try Running.with { (server) throws in
      #expect(try server.post("fetch", body, type: "application/json").problem().status == 400)
    }
  }

  @Test("more ids than the limit are 413")
  func limit() throws {
    var limits = SyncServer.Limits()
    limits.fetchItems = 2
    try Running.with(limits: limits) { (server) throws in
      #expect(try server.fetch(["a", "b"]).status == 200)
      let problem = try server.fetch(["a", "b", "c"]).problem()
      #expect(problem.status == 413)
      #expect(problem.maximumItems == 2)
    }
  }
}
