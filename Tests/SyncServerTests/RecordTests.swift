import SyncServer
import Testing

@Suite("One record over HTTP")
struct RecordTests {
  @Test("a record comes back as it was sent, to the digit, with its id first and canonical stamps")
  func roundTrip() throws {
    try Running.with { (server) throws in
      let sent =
        #"{ "title":"Zelt \ud83c\udfd5 é", "updatedAt":"2026-01-01T05:45:00+05:45","n":1.10,"#
        + #""big":123456789012345678901234567890,"e":1E-7, "x":{"a":[1, 2 ,{}]},"dueAt":null}"#
      let reply = try server.putBody("p1", sent, ["Prefer": "return=representation"])
      let kept =
        #"{"id":"p1","title":"Zelt \ud83c\udfd5 é","updatedAt":"2026-01-01T00:00:00.000000Z","#
        + #""n":1.10,"big":123456789012345678901234567890,"e":1E-7,"x":{"a":[1, 2 ,{}]},"dueAt":null}"#
      #expect(reply.status == 201)
      #expect(reply.text == kept)
      let read = try server.get("/p1")
      #expect(read.status == 200)
      #expect(read.text == kept)
      #expect(read["ETag"] == reply["ETag"])
    }
  }

  @Test("a second put replaces, and changes the entity tag")
  func replaces() throws {
    try Running.with { (server) throws in
      let first = try server.put("a", #","title":"one""#)
      let second = try server.put("a", #","title":"two""#)
      #expect(first.status == 201)
      #expect(second.status == 200)
      #expect(first["ETag"] != second["ETag"])
      #expect(try server.get("/a").text.contains("two"))
    }
  }

  @Test("the same put once more is no change: same tags, same collection")
  func repeated() throws {
    try Running.with { (server) throws in
      let first = try server.put("a", #","title":"one""#)
      let before = try server.get()["ETag"]
      let again = try server.put("a", #","title":"one""#)
      #expect(again.status == 200)
      #expect(again["ETag"] == first["ETag"])
      #expect(try server.get()["ETag"] == before)
    }
  }

  @Test("return=minimal saves the body and keeps the tag")
  func minimal() throws {
    try Running.with { (server) throws in
      let reply = try server.put("a", "", ["Prefer": "return=minimal"])
      #expect(reply.status == 204)
      #expect(reply.body.isEmpty)
      #expect(reply["ETag"] == (try server.get("/a"))["ETag"])
    }
  }

  @Test("HEAD says what GET says, without the body")
  func head() throws {
    try Running.with { (server) throws in
      _ = try server.put("a", #","title":"x""#)
      for target in ["/v1/projects", "/v1/projects/a", "/v1/projects/nothing", "/healthz"] {
        let get = try server.client.send("GET", target)
        let head = try server.client.send("HEAD", target)
        #expect(head.status == get.status)
        #expect(head.body.isEmpty)
        #expect(head["ETag"] == get["ETag"])
        #expect(head["Content-Length"] == String(get.body.count))
      }
    }
  }

  @Test("GET with a known tag is 304 without a body")
  func notModified() throws {
    try Running.with { (server) throws in
      let tag = try #require(try server.put("a")["ETag"])
      for field in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
        let reply = try server.get("/a", ["If-None-Match": field])
        #expect(reply.status == 304)
        #expect(reply.body.isEmpty)
        #expect(reply["ETag"] == tag)
      }
      #expect(try server.get("/a", ["If-None-Match": "\"other\""]).status == 200)
    }
  }

  @Test("what was deleted is gone, and a second DELETE says so")
  func deletes() throws {
    try Running.with { (server) throws in
      _ = try server.put("a")
      #expect(try server.delete("a").status == 204)
      #expect(try server.get("/a").status == 404)
      #expect(try server.delete("a").problem().status == 404)
      #expect(try server.put("a").status == 201)
    }
  }

  @Test(
    "every id of one to 255 bytes keeps its bytes",
    arguments: [
      "a/b", "..", ".", "%2e%2e", "a?b", "a#b", "a;b", "a%2Fb", "a%252Fb", "a b", " a", "a+b",
      "a@b", "a:b", "a&b=c", "\u{E9}", "e\u{301}", "ABC", "abc", "프로젝트", "🗓", "batch", "changes",
      "events", "fetch", "compare", "\"", "\\", "'", String(repeating: "é", count: 127) + "x",
    ])
  func ids(_ id: String) throws {
    try Running.with { (server) throws in
      let encoded = percentEncoded(id)
      #expect(try server.put(encoded, #","title":"x""#).status == 201)
      #expect(try server.get("/\(encoded)").status == 200)
      let listed = try server.listing().entries
      #expect(listed.map { Array($0.id.utf8) } == [Array(id.utf8)])
      let digests = try server.listing("?fields=id,updatedAt,etag").entries
      #expect(digests.map { Array($0.id.utf8) } == [Array(id.utf8)])
      #expect(try server.fetch([id]).text.contains(#""record":{"#))
      #expect(try server.delete(encoded).status == 204)
      #expect(try server.listing().entries.isEmpty)
    }
  }

  @Test("two spellings of é are two projects, and so are two cases of a letter")
  func distinctIDs() throws {
    try Running.with { (server) throws in
      for id in ["%C3%A9", "e%CC%81", "ABC", "abc", "a%2Fb", "a%252Fb"] {
        #expect(try server.put(id).status == 201)
      }
      #expect(try server.listing().entries.count == 6)
    }
  }

  @Test(
    "what cannot be an id is refused",
    arguments: [
      "%00", "a%0Ab", "%7F", "%C2%85", "%zz", "%", "%E9", "%FF",
      String(repeating: "x", count: 256),
    ])
  func badIDs(_ id: String) throws {
    try Running.with { (server) throws in
      #expect(try server.put(id).problem().status == 400)
      #expect(try server.get("/\(id)").problem().status == 400)
      #expect(try server.delete(id).problem().status == 400)
    }
  }

  @Test("the collection answers with and without a trailing slash")
  func trailingSlash() throws {
    try Running.with { (server) throws in
      #expect(try server.get("/").text == "[]")
      #expect(try server.get("").text == "[]")
      #expect(try server.get("//").problem().status == 404)
    }
  }
}

func percentEncoded(_ text: String) -> String {
  var encoded = ""
  for byte in text.utf8 {
    let scalar = Unicode.Scalar(byte)
    let isPlain =
      byte < 0x80 && (scalar.properties.isAlphabetic || "0123456789-_~".utf8.contains(byte))
    if isPlain {
      encoded.unicodeScalars.append(scalar)
    } else {
      encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
  return encoded
}
