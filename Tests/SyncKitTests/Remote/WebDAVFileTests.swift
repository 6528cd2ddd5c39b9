import Testing

@testable import SyncKit

@Suite("A project's file")
struct WebDAVFileTests {
  @Test(
    "is named by its id, whatever the id holds",
    arguments: ["a", "%2e%2e", "a b", " a", "a+b", "\u{E9}", "e\u{301}", "a.json", "🗓"])
  func names(_ id: String) throws {
    #expect(WebDAVFile.fault(ofID: id) == nil)
    var bytes: [UInt8] = []
    bytes.append(json: "{")
    bytes.appendMember("name", string: id + WebDAVFile.suffix, first: true)
    bytes.append(json: "}")
    #expect(try WebDAVFile(bytes).id(.plain) == ProjectID(id))
  }

  @Test("cannot hold every id")
  func faults() {
    #expect(WebDAVFile.fault(ofID: "a/b")?.contains("/") == true)
    for id in [".", "..", ".hidden"] {
      #expect(WebDAVFile.fault(ofID: id)?.contains("hidden by many servers") == true)
    }
    #expect(WebDAVFile.fault(ofID: String(repeating: "x", count: 250)) == nil)
    #expect(WebDAVFile.fault(ofID: String(repeating: "x", count: 251))?.contains("256") == true)
    #expect(WebDAVFile.fault(ofID: String(repeating: "é", count: 126))?.contains("257") == true)
  }

  @Test("with a name that is no id says so", arguments: [".json", "a\u{85}b.json"])
  func noIDs(_ name: String) {
    var file = WebDAVFile([])
    file.name = name
    #expect { _ = try file.id(.plain) } throws: { "\($0)".contains("is no id") }
  }

  @Test("with a name that is not in the form of remote.ids says so")
  func otherCodec() throws {
    var file = WebDAVFile([])
    file.name = IDCodec.base32hex.encode("a/b") + ".json"
    #expect(try file.id(.base32hex) == ProjectID("a/b"))
    file.name = "Plain Name.json"
    #expect { _ = try file.id(.base32hex) } throws: { "\($0)".contains("remote.ids") }
  }

  @Test("has the same version in a listing and in an answer of its own")
  func versions() throws {
    let date = "Fri, 15 Jan 2027 08:00:00 GMT"
    let listed = WebDAVFile(
      Array(#"{"name":"a.json","modified":"\#(date)","length":"7"}"#.utf8))
    let head = HTTPResponseHead(
      status: 200, headers: ["Last-Modified": date, "ETag": "\"t\"", "Date": date])
    let answered = WebDAVFile(head, length: 7, hasTags: false)
    #expect(listed.version == answered.version && listed.version != nil)
    #expect(WebDAVFile(head, length: 8, hasTags: false).version != listed.version)
    let tagged = WebDAVFile(Array(#"{"name":"a.json","etag":"W/\"t\"","length":"7"}"#.utf8))
    #expect(tagged.version == WebDAVFile(head, length: 9, hasTags: true).version)
    #expect(WebDAVFile(HTTPResponseHead(status: 200), length: 9, hasTags: true).version == nil)
    #expect(WebDAVFile.age(of: head) == .zero)
  }
}
