import SyncKit
import SyncServer
import Testing

@Suite("Batches")
struct BatchTests {
  private func line(
    _ id: String, _ members: String = "", _ condition: String = "", stamp: String = Running.stamp
  ) -> String {
    "{\"put\":{\"id\":\"\(id)\",\"updatedAt\":\"\(stamp)\"\(members)}\(condition)}\n"
  }

  private struct Result: Decodable {
    var id: String?
    var status: Int
    var etag: String?
    var detail: String?
  }

  private func results(_ reply: Reply) throws -> [Result] {
    try reply.lines.map { line in
      try Reply(status: 0, headers: [], body: Array(line.utf8)).decode(Result.self)
    }
  }

  @Test("each item has one line, in order, and stands alone")
  func standsAlone() throws {
    try Running.with { (server) throws in
      let tag = try #require(try server.put("old", #","n":1"#)["ETag"])
      let escaped = tag.split(separator: "\"").joined()
      let body =
        line("new", "", #","ifNoneMatch":"*""#)
        + line("old", #","n":2"#, #","ifNoneMatch":"*""#)
        + "\n"
        + line("old", #","n":3"#, #","ifMatch":"\"\#(escaped)\"""#)
        + "not JSON at all\n"
        + line("bad", #","title":7"#)
        + #"{"put":{"id":"nostamp"}}"# + "\n"
        + #"{"delete":"absent"}"# + "\n"
        + #"{"delete":"new","ifMatch":"\"0-0\""}"# + "\n"
        + #"{"delete":"new"}"# + "\n"
        + #"{"delete":"x","put":{}}"# + "\n"
        + #"{"delete":""}"# + "\n"
        + #"{"what":1}"# + "\n"
        + line("last").dropLast()
      let reply = try server.post("batch", body)
      #expect(reply.status == 200)
      #expect(reply["Content-Type"] == "application/x-ndjson")
      let results = try results(reply)
      #expect(
        results.map(\.status)
          == [201, 412, 200, 400, 422, 422, 404, 412, 204, 400, 422, 400, 201])
      #expect(
        results.map(\.id)
          == [
            "new", "old", "old", nil, "bad", "nostamp", "absent", "new", "new", nil, "", nil,
            "last",
          ])
      #expect(results.allSatisfy { ($0.etag != nil) == (200...201).contains($0.status) })
      #expect(results.allSatisfy { ($0.detail != nil) == [400, 422].contains($0.status) })
      let entries = try server.listing().entries
      #expect(entries.map(\.id) == ["last", "old"])
      #expect(entries.map(\.etag) == [results[12].etag, results[2].etag])
      #expect(try server.get("/old").text.contains(#""n":3"#))
    }
  }

  @Test("a put that is asked not to undo a deletion is refused for the version that was deleted")
  func keepsDeletions() throws {
    try Running.with { (server) throws in
      func put(
        _ members: String = "", _ condition: String = #","ifNoneMatch":"*""#, keeps: String = "?1",
        stamp: String = Running.stamp
      ) throws -> [Result] {
        try results(
          server.client.send(
            "POST", "/v1/projects/batch",
            ["Content-Type": "application/x-ndjson", "Syncd-Keep-Deletions": keeps],
            body: Array(line("a", members, condition, stamp: stamp).utf8)))
      }
      let first = try #require(try put().first)
      #expect(first.status == 201)
      _ = try server.delete("a")
      let before = try server.get()["ETag"]
      let refused = try put() + put("", "")
      #expect(refused.map(\.status) == [410, 410])
      let alone = try server.put("a", "", ["Syncd-Keep-Deletions": "?1"])
      #expect(alone.status == 410 && alone["ETag"] == refused[0].etag)
      #expect(refused[0].etag != nil && refused[0].etag != first.etag)
      #expect(try server.get()["ETag"] == before)
      #expect(try put(#","n":1"#).map(\.status) == [201])
      #expect(try put().map(\.status) == [412])
      _ = try server.delete("a")
      let later = "2999-01-01T00:00:00.000001Z"
      #expect(try put(keeps: "?1;later", stamp: later).map(\.status) == [201])
      #expect(try put(keeps: "?1;later").map(\.status) == [412])
      _ = try server.delete("a")
      for stamp in [later, Running.stamp] {
        #expect(try put(keeps: "?1;later", stamp: stamp).map(\.status) == [410])
      }
      for keeps in ["?0", "", "1"] {
        #expect(try put(#","n":1"#, keeps: keeps).map(\.status) == [201])
        _ = try server.delete("a")
      }
    }
  }

  @Test("a batch says the collection's tag before it and after it")
  func tags() throws {
    try Running.with { (server) throws in
      let before = try server.get()["ETag"]
      let reply = try server.post("batch", line("a") + line("b"))
      #expect(reply["Syncd-Previous-ETag"] == before)
      let after = try server.get()
      #expect(reply["ETag"] == after["ETag"])
      #expect(reply["Syncd-Remote-ID"] == after["Syncd-Remote-ID"])
      let idle = try server.post("batch", line("a") + #"{"delete":"none"}"#)
      #expect(idle["ETag"] == after["ETag"])
      #expect(idle["Syncd-Previous-ETag"] == after["ETag"])
    }
  }

  @Test(
    "a record alone is to be created, and what is stored in a row shares a line where that is preferred"
  )
  func records() throws {
    try Running.with { (server) throws in
      let record = { (id: String) in "{\"id\":\"\(id)\",\"updatedAt\":\"\(Running.stamp)\"}\n" }
      _ = try server.put("there")
      let body =
        record("a") + record("b") + record("there") + record("c") + "{\"id\":\"bad\"}\n"
        + line("there", #","n":2"#) + record("d")
      let reply = try server.client.send(
        "POST", "/v1/projects/batch",
        ["Content-Type": "application/x-ndjson", "Prefer": "return=minimal"],
        body: Array(body.utf8))
      #expect(reply["Preference-Applied"] == "return=minimal")
      struct Run: Decodable, Equatable {
        var status: Int
        var count: Int?
        var sequence: Int?
        var hashes: String?
      }
      let runs = try reply.lines.map { line in
        try Reply(status: 0, headers: [], body: Array(line.utf8)).decode(Run.self)
      }
      #expect(runs.map(\.status) == [201, 412, 201, 422, 200, 201])
      #expect(runs.map(\.count) == [2, nil, 1, nil, 1, 1])
      #expect(runs.map(\.sequence) == [2, nil, 4, nil, 5, 6])
      let entries = try server.listing().entries
      #expect(entries.map(\.id) == ["a", "b", "c", "d", "there"])
      // The tags of a run are those that the listing has: its numbers, and its hashes in base 64.
      let tags = try #require(runs[0].hashes)
      let bytes = try #require(Base64.bytes(Array(tags.utf8)))
      for (index, entry) in entries.prefix(2).enumerated() {
        let hash = bytes[8 * index..<8 * index + 8].map {
          String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16)
        }
        #expect(entry.etag == "\"\(2 + index)-\(hash.joined())\"")
      }
    }
  }

  @Test("an empty batch is an empty answer")
  func empty() throws {
    try Running.with { (server) throws in
      let reply = try server.post("batch", "")
      #expect(reply.status == 200)
      #expect(reply.body.isEmpty)
    }
  }

  @Test("a line that is not UTF-8 fails alone")
  func notUTF8() throws {
    try Running.with { (server) throws in
      let body =
        Array(line("a").utf8) + Array(#"{"put":{"id":"b","title":""#.utf8) + [0xC3, 0x28]
        + Array("\"}}\n".utf8) + Array(line("c").utf8)
      let reply = try server.client.send(
        "POST", "/v1/projects/batch", ["Content-Type": "application/x-ndjson"], body: body)
      #expect(try results(reply).map(\.status) == [201, 400, 201])
    }
  }

  @Test("as many items as the limit are taken; one more is 413 and writes nothing")
  func itemLimit() throws {
    var limits = SyncServer.Limits()
    limits.batchItems = 3
    try Running.with(limits: limits) { (server) throws in
      let three = line("a") + line("b") + line("c")
      #expect(try server.post("batch", three).lines.count == 3)
      let problem = try server.post("batch", three + line("d")).problem()
      #expect(problem.status == 413)
      #expect(problem.maximumItems == 3)
      #expect(try server.get("/d").status == 404)
    }
  }

  @Test("a batch over its limit of bytes is 413, but one item may be as large as a record")
  func byteLimit() throws {
    var limits = SyncServer.Limits()
    limits.batchBytes = 1000
    limits.recordBytes = 2000
    try Running.with(limits: limits) { (server) throws in
      let large = ",\"body\":\"\(String(repeating: "x", count: 1500))\""
      #expect(try results(server.post("batch", line("a", large))).map(\.status) == [201])
      let problem = try server.post("batch", line("b", large) + line("c")).problem()
      #expect(problem.status == 413)
      #expect(problem.maximumBytes == 1000)
      let largest = try server.post("batch", line("b", large + large.replacing("body", with: "x")))
      #expect(try largest.problem().status == 413)
      #expect(try server.listing().entries.map(\.id) == ["a"])
    }
  }

  @Test("a batch comes chunked as well")
  func chunked() throws {
    try Running.with { (server) throws in
      let item = line("a")
      let size = String(item.utf8.count, radix: 16)
      let reply = try server.client.send(
        "POST", "/v1/projects/batch",
        ["Transfer-Encoding": "chunked", "Content-Type": "application/x-ndjson"],
        body: Array("\(size)\r\n\(item)\r\n0\r\n\r\n".utf8))
      #expect(try results(reply).map(\.status) == [201])
    }
  }
}
