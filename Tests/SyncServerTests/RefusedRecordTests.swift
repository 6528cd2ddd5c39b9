import SyncServer
import Testing

@Suite("Records that are refused")
struct RefusedRecordTests {
  @Test(
    "what is no JSON object is 400",
    arguments: [
      "", "{", "[]", "null", "\"x\"", "{\"updatedAt\":}", "{\"a\":1,}", "{\"a\":01}",
      "{} {}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"tab\there\"}",
    ])
  func noJSON(_ body: String) throws {
    try Running.with { (server) throws in
      #expect(try server.putBody("a", body).problem().status == 400)
      #expect(try server.listing().entries.isEmpty)
    }
  }

  @Test(
    "what is JSON and no record is 422",
    arguments: [
      "{}", #"{"updatedAt":null}"#, #"{"updatedAt":1767225600}"#, #"{"updatedAt":"yesterday"}"#,
      #"{"updatedAt":"2026-02-30T00:00:00Z"}"#, #"{"updatedAt":"2026-01-01"}"#,
      #"{"updatedAt":"999999-01-01T00:00:00Z"}"#,
      #"{"id":"b","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"id":1,"updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","title":1}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","body":null}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","state":["todo"]}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","dueAt":7}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","createdAt":"soon"}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","etag":"mine"}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","title":"a","title":"b"}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","title":"\ud800"}"#,
      #"{"updatedAt":"2026-01-01T00:00:00Z","x":{"y":"\udc00"}}"#,
    ])
  func noRecord(_ body: String) throws {
    try Running.with { (server) throws in
      #expect(try server.putBody("a", body).problem().status == 422)
      #expect(try server.listing().entries.isEmpty)
    }
  }

  @Test("bytes that are not UTF-8 are refused, wherever they are")
  func notUTF8() throws {
    try Running.with { (server) throws in
      let body =
        Array(#"{"updatedAt":"2026-01-01T00:00:00Z","x":""#.utf8) + [0xFF] + Array("\"}".utf8)
      let reply = try server.client.send(
        "PUT", "/v1/projects/a", ["Content-Type": "application/json"], body: body)
      #expect(try reply.problem().status == 400)
    }
  }

  @Test("nesting has a limit, and stays within what readers of listings accept")
  func nesting() throws {
    func nested(_ depth: Int) -> String {
      ",\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    try Running.with { (server) throws in
      #expect(try server.put("a", nested(99)).status == 201)
      #expect(try server.put("b", nested(100)).problem().status == 422)
      #expect(try server.put("b", nested(100_000)).problem().status == 400)
    }
  }

  @Test("stamps far away, a NUL and a vertical tab are carried")
  func carried() throws {
    try Running.with { (server) throws in
      for stamp in [
        "1901-12-13T20:45:52.000001Z", "2038-01-19T03:14:08.000000Z",
        "9999-12-31T23:59:59.999999Z", "2255-06-05T23:47:34.740993Z",
      ] {
        let reply = try server.putBody(
          "a", "{\"updatedAt\":\"\(stamp)\",\"title\":\"\\u0000\\u000b\"}")
        #expect(
          reply.text == "{\"id\":\"a\",\"updatedAt\":\"\(stamp)\",\"title\":\"\\u0000\\u000b\"}")
        #expect(try server.listing("?fields=id,updatedAt,etag").entries.first?.updatedAt == stamp)
      }
    }
  }

  @Test("the id in the body may be spelled with escapes, and has to be the one in the URL")
  func idInBody() throws {
    try Running.with { (server) throws in
      let reply = try server.put("a", #","id":"\u0061""#)
      #expect(reply.status == 201)
      #expect(reply.text.hasPrefix(#"{"id":"a","#))
      #expect(try server.put("%C3%A9", ",\"id\":\"e\u{301}\"").problem().status == 422)
    }
  }
}
