import SyncServer
import Testing

@Suite("The collection")
struct CollectionTests {
  @Test("an empty collection says what it is")
  func empty() throws {
    try Running.with { (server) throws in
      let reply = try server.get()
      #expect(reply.status == 200)
      #expect(reply.text == "[]")
      #expect(reply["Content-Type"] == "application/json")
      #expect(
        reply["Syncd-Capabilities"]
          == "1; batch=10000; fetch=1000; bytes=8388608; creates; changes; compare; events")
      #expect(reply["Syncd-Remote-ID"]?.utf8.count == 36)
      #expect(reply["X-Total-Count"] == "0")
    }
  }

  @Test("whole records carry their etag; digests have id, stamp and etag alone")
  func entries() throws {
    try Running.with { (server) throws in
      let tag = try #require(try server.put("a", #","title":"x","n":1.0"#)["ETag"])
      let quoted = "\"\\\"" + tag.dropFirst().dropLast() + "\\\"\""
      let stamp = Running.stamp
      #expect(
        try server.get().text
          == "[{\"id\":\"a\",\"updatedAt\":\"\(stamp)\",\"title\":\"x\",\"n\":1.0,\"etag\":\(quoted)}]"
      )
      #expect(
        try server.get("?fields=id,updatedAt,etag").text
          == "[{\"id\":\"a\",\"updatedAt\":\"\(stamp)\",\"etag\":\(quoted)}]")
      #expect(try server.listing().entries.first?.etag == tag)
    }
  }

  @Test("pages go by the ids' bytes and hold every record once", arguments: [1, 2, 3, 7, 100])
  func pages(_ limit: Int) throws {
    try Running.with { (server) throws in
      let ids = ["B", "a", "a b", "a/b", "a\u{301}", "z", "~", "\u{E9}", "🗓"]
      for id in ids.reversed() { _ = try server.put(percentEncoded(id)) }
      for query in ["?limit=\(limit)", "?fields=id,updatedAt,etag&limit=\(limit)"] {
        let (entries, pages) = try server.listing(query)
        #expect(entries.map { Array($0.id.utf8) } == ids.map { Array($0.utf8) })
        #expect(pages == (ids.count + limit - 1) / limit)
      }
    }
  }

  @Test("a record that is written or removed between two pages hides no other")
  func shifting() throws {
    try Running.with { (server) throws in
      for id in ["a", "b", "c", "d", "e"] { _ = try server.put(id) }
      let first = try server.get("?limit=2")
      _ = try server.delete("a")
      _ = try server.put("aa")
      let link = try #require(first["Link"])
      #expect(link == "</v1/projects?limit=2&after=b>; rel=\"next\"")
      #expect(first["X-Total-Count"] == nil)
      let rest = try server.listing("?limit=2&after=b").entries
      #expect(rest.map(\.id) == ["c", "d", "e"])
    }
  }

  @Test("a page ends early when it grows large, and says that there are more")
  func largePages() throws {
    var limits = SyncServer.Limits()
    limits.pageBytes = 1000
    try Running.with(limits: limits) { (server) throws in
      let body = String(repeating: "x", count: 600)
      for id in ["a", "b", "c", "d", "e"] { _ = try server.put(id, ",\"body\":\"\(body)\"") }
      let (entries, pages) = try server.listing()
      #expect(entries.map(\.id) == ["a", "b", "c", "d", "e"])
      #expect(pages == 3)
    }
  }

  @Test("the limit is capped, not refused")
  func capped() throws {
    var limits = SyncServer.Limits()
    limits.maximumPageItems = 2
    try Running.with(limits: limits) { (server) throws in
      for id in ["a", "b", "c"] { _ = try server.put(id) }
      let (entries, pages) = try server.listing("?limit=5000")
      #expect(entries.count == 3)
      #expect(pages == 2)
    }
  }

  @Test("304 as long as nothing changed, and never after")
  func notModified() throws {
    try Running.with { (server) throws in
      func tag() throws -> String { try #require(try server.get()["ETag"]) }
      var seen: Set<String> = [try tag()]
      let writes: [() throws -> Reply] = [
        { try server.put("a", #","n":1"#) }, { try server.put("a", #","n":2"#) },
        { try server.put("a", #","n":1"#) }, { try server.delete("a") },
        { try server.put("a", #","n":1"#) },
      ]
      for write in writes {
        let before = try tag()
        let unchanged = try server.get("", ["If-None-Match": before])
        #expect(unchanged.status == 304)
        #expect(unchanged.body.isEmpty)
        #expect(unchanged["Syncd-Remote-ID"] != nil)
        _ = try write()
        #expect(try server.get("", ["If-None-Match": before]).status == 200)
        #expect(seen.insert(try tag()).inserted)
      }
      _ = try server.delete("nothing")
      _ = try server.put("a", "", ["If-None-Match": "*"])
      #expect(seen.contains(try tag()))
    }
  }

  @Test(
    "a query that is no such query is 400",
    arguments: [
      "?limit=0", "?limit=-1", "?limit=x", "?limit=", "?limit=1&limit=2", "?fields=title",
      "?fields=", "?after=%00", "?after=%zz", "?limit=99999999999999999999",
    ])
  func badQuery(_ query: String) throws {
    try Running.with { (server) throws in
      #expect(try server.get(query).problem().status == 400)
    }
  }

  @Test("parameters of others are let pass, a plus is a plus")
  func otherParameters() throws {
    try Running.with { (server) throws in
      _ = try server.put("a%2Bb")
      #expect(try server.listing("?tenant=x&after=a%20").entries.count == 1)
      #expect(try server.listing("?after=a+b").entries.isEmpty)
    }
  }
}
