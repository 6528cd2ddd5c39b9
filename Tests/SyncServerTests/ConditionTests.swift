import SyncServer
import Testing

@Suite("Conditions")
struct ConditionTests {
  @Test("If-None-Match: * creates and never replaces")
  func createOnly() throws {
    try Running.with { (server) throws in
      #expect(try server.put("a", #","n":1"#, ["If-None-Match": "*"]).status == 201)
      #expect(try server.put("a", #","n":2"#, ["If-None-Match": "*"]).problem().status == 412)
      #expect(try server.get("/a").text.contains(#""n":1"#))
      _ = try server.delete("a")
      #expect(try server.put("a", #","n":3"#, ["If-None-Match": "*"]).status == 201)
    }
  }

  @Test("If-Match replaces the one version it names")
  func replaceKnown() throws {
    try Running.with { (server) throws in
      let first = try #require(try server.put("a", #","n":1"#)["ETag"])
      let second = try #require(try server.put("a", #","n":2"#, ["If-Match": first])["ETag"])
      #expect(try server.put("a", #","n":3"#, ["If-Match": first]).problem().status == 412)
      #expect(
        try server.put("a", #","n":3"#, ["If-Match": "\"x\", \(second)"]).status == 200)
      #expect(try server.put("a", #","n":4"#, ["If-Match": "*"]).status == 200)
    }
  }

  @Test("If-Match compares strongly: a weak tag matches nothing")
  func strong() throws {
    try Running.with { (server) throws in
      let tag = try #require(try server.put("a", #","n":1"#)["ETag"])
      #expect(try server.put("a", #","n":2"#, ["If-Match": "W/\(tag)"]).problem().status == 412)
      #expect(try server.delete("a", ["If-Match": "W/\(tag)"]).problem().status == 412)
    }
  }

  @Test("If-Match on what is not there: 412 for PUT, 404 for DELETE")
  func absent() throws {
    try Running.with { (server) throws in
      #expect(try server.put("a", "", ["If-Match": "\"1\""]).problem().status == 412)
      #expect(try server.put("a", "", ["If-Match": "*"]).problem().status == 412)
      #expect(try server.delete("a", ["If-Match": "\"1\""]).problem().status == 404)
    }
  }

  @Test("DELETE with the tag of an older version leaves the record")
  func staleDelete() throws {
    try Running.with { (server) throws in
      let old = try #require(try server.put("a", #","n":1"#)["ETag"])
      let new = try #require(try server.put("a", #","n":2"#)["ETag"])
      #expect(try server.delete("a", ["If-Match": old]).problem().status == 412)
      #expect(try server.get("/a").status == 200)
      #expect(try server.delete("a", ["If-Match": new]).status == 204)
    }
  }

  @Test("a condition that is no list of tags is 400", arguments: ["5", "\"", "", "\"a\" b"])
  func broken(_ field: String) throws {
    try Running.with { (server) throws in
      #expect(try server.put("a", "", ["If-Match": field]).problem().status == 400)
    }
  }
}
