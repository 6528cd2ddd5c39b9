import Synchronization
import TestSupport
import Testing

@testable import SyncKit

@Suite("A listing that lies")
struct ListingTests {
  static func entry(_ id: String) -> String {
    "{\"id\":\"\(id)\",\"updatedAt\":\"2026-11-30T17:24:00Z\"}"
  }

  static func page(_ range: Range<Int>) -> String {
    "[" + range.map { entry("p\($0)") }.joined(separator: ",") + "]"
  }

  @Test(
    "what is no list of records is never an empty list",
    arguments: [
      "null", "{\"data\":[]}", "", "{}", "\"\"", "7", "[", "[]]", "[] x", "[1]", "[null]", "[[]]",
      "[{\"id\":\"a\"", "[" + entry("a") + ",]", "not json", "<html>",
    ])
  func notAList(_ body: String) async throws {
    let scripted = try Scripted { _, _ in .json(body) }
    #expect(await scripted.listingError()?.code == .protocolViolation)
    #expect(scripted.transport.requests.count == 1)
  }

  @Test(
    "a media type other than JSON is refused", arguments: ["text/html", "text/plain", "image/png"])
  func mediaType(_ type: String) async throws {
    let scripted = try Scripted { _, _ in ScriptedAnswer(200, body: "[]", type: type) }
    let error = await scripted.listingError()
    #expect(error?.code == .protocolViolation)
    #expect(error?.message.contains(type) == true)
  }

  @Test(
    "JSON by any of its names, or none, is accepted",
    arguments: ["application/json; charset=utf-8", "application/vnd.api+json", nil] as [String?])
  func jsonTypes(_ type: String?) async throws {
    let scripted = try Scripted { _, _ in ScriptedAnswer(200, body: "[]", type: type) }
    #expect(try await scripted.remote.entries() == [])
  }

  @Test("a success that is no list: 201, 204", arguments: [201, 202, 204])
  func otherSuccess(_ status: Int) async throws {
    let scripted = try Scripted { _, _ in .json("[]", status: status) }
    #expect(await scripted.listingError()?.code == .protocolViolation)
  }

  @Test("a page that fails half-way fails the listing")
  func secondPageFails() async throws {
    let scripted = try Scripted { _, number in
      number == 1
        ? .json(Self.page(0..<100), headers: ["Link": "<?page=2>; rel=next"]) : ScriptedAnswer(404)
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
  }

  @Test("a body cut short is read once more, then refused with the bytes read")
  func cutShort() async throws {
    let body = Self.page(0..<100)
    let scripted = try Scripted { _, _ in ScriptedAnswer.json(body).broken(after: 4000) }
    let error = await scripted.listingError()
    #expect(error?.code == .protocolViolation)
    #expect(error?.message.contains("https://h.example/v1/projects") == true)
    #expect(error?.message.contains("4000 bytes") == true)
    #expect(scripted.transport.requests.count == 2)
  }

  @Test(
    "a page that broke off is handed over once when it is read again",
    arguments: [TransportError.Code.truncatedBody, .connectionLost, .timedOut])
  func readAgain(_ code: TransportError.Code) async throws {
    let body = Self.page(0..<2000)
    let scripted = try Scripted(chunk: 10_000) { _, number in
      number == 1 ? ScriptedAnswer.json(body).broken(after: 90_000, code) : .json(body)
    }
    let entries = try await scripted.remote.entries()
    #expect(entries.count == 2000)
    #expect(Set(try await scripted.remote.digests().keys).count == 2000)
  }

  @Test("a page that broke off and then reads differently is not put together")
  func readDifferently() async throws {
    let scripted = try Scripted(chunk: 10_000) { _, number in
      number == 1
        ? ScriptedAnswer.json(Self.page(0..<2000)).broken(after: 90_000)
        : .json(Self.page(1..<2001))
    }
    #expect(await scripted.listingError()?.code == .offline)
  }

  @Test(
    "a total that is not reached is refused",
    arguments: [
      ["X-Total-Count": "300"], ["Content-Range": "items 0-99/300"],
    ] as [HTTPHeaders])
  func total(_ headers: HTTPHeaders) async throws {
    let scripted = try Scripted { _, _ in .json(Self.page(0..<100), headers: headers) }
    let error = await scripted.listingError()
    #expect(error?.code == .protocolViolation)
    #expect(error?.message.contains("300") == true)
    let exact = try Scripted { _, _ in .json(Self.page(0..<300), headers: headers) }
    #expect(try await exact.remote.entries().count == 300)
  }

  @Test(
    "a part without an end in sight is refused",
    arguments: [
      [:], ["Content-Range": "0-99/*"],
    ] as [HTTPHeaders])
  func partial(_ headers: HTTPHeaders) async throws {
    let scripted = try Scripted { _, _ in
      .json(Self.page(0..<100), status: 206, headers: headers)
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
  }

  @Test(
    "a full page with no word of the end is refused", arguments: ["limit=100", "a=b&per_page=99"])
  func fullPage(_ query: String) async throws {
    let scripted = try Scripted(change: .setting { $0.query = query }) { _, _ in
      .json(Self.page(0..<100))
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
    let short = try Scripted(change: .setting { $0.query = query }) { _, _ in
      .json(Self.page(0..<98))
    }
    #expect(try await short.remote.entries().count == 98)
  }

  @Test("a short page is not the end while there is a link")
  func shortPages() async throws {
    let scripted = try Scripted(change: .setting { $0.query = "limit=5000" }) { request, number in
      if number == 1 { #expect(request.url.hasSuffix("/projects?limit=5000")) }
      guard number < 4 else { return .json("[]") }
      return .json(
        Self.page((number * 10)..<(number * 10 + 10)),
        headers: ["Link": "<https://h.example/v1/projects?page=\(number)>; rel=\"next\""])
    }
    #expect(try await scripted.remote.entries().count == 30)
    #expect(scripted.transport.requests.count == 4)
  }

  @Test(
    "a next link that points back is refused within bounded requests",
    arguments: ["?page=2", "", "https://h.example/v1/projects"])
  func loops(_ target: String) async throws {
    let scripted = try Scripted { _, number in
      .json(Self.page(number..<number + 1), headers: ["Link": "<\(target)>; rel=next"])
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
    #expect(scripted.transport.requests.count <= 2)
  }

  @Test("a page that comes again under another address is refused")
  func samePage() async throws {
    let scripted = try Scripted { _, number in
      .json(Self.page(0..<10), headers: ["Link": "<?cursor=\(number)>; rel=next"])
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
    #expect(scripted.transport.requests.count == 2)
  }

  @Test(
    "a next link to another origin is refused, and nothing is sent there",
    arguments: [
      "https://evil.example/p", "http://h.example/v1/projects?page=2",
      "https://h.example:444/v1/projects?page=2", "//evil.example/p", "file:///etc/passwd",
    ])
  func otherOrigin(_ target: String) async throws {
    let scripted = try Scripted(change: .setting { $0.credentials = Authorization.bearer("t0k3n") })
    {
      _, number in
      .json(Self.page(number..<number + 1), headers: ["Link": "<\(target)>; rel=next"])
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
    #expect(scripted.transport.requests.count == 1)
  }

  @Test("a link header that cannot be read is not the end")
  func unreadableLink() async throws {
    let scripted = try Scripted { _, _ in
      .json(Self.page(0..<10), headers: ["Link": "https://h.example/p?page=2; rel=next"])
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
  }

  @Test("entries and the next page are found inside an envelope")
  func envelope() async throws {
    let scripted = try Scripted(
      change: .setting {
        ($0.listAt, $0.nextAt) = (["data", "items"], ["paging", "next"])
      }
    ) { _, number in
      let next = ["\"?page=2\"", "\"/v1/projects?page=3\"", number % 2 == 0 ? "null" : "\"\""]
      return .json(
        "{\"paging\":{\"next\":\(next[min(number, 3) - 1])},\"data\":{\"items\":"
          + Self.page((number * 10)..<(number * 10 + 10)) + "}}")
    }
    #expect(try await scripted.remote.entries().count == 30)
    #expect(
      scripted.transport.requests.map(\.url).last == "https://h.example/v1/projects?page=3")
  }

  @Test("a next page that is no text is refused", arguments: ["7", "true", "{}", "[]"])
  func nextIsNoText(_ next: String) async throws {
    let scripted = try Scripted(change: .setting { ($0.listAt, $0.nextAt) = (["data"], ["next"]) })
    {
      _, _ in
      .json("{\"data\":\(Self.page(0..<3)),\"next\":\(next)}")
    }
    #expect(await scripted.listingError()?.code == .protocolViolation)
  }

  @Test(
    "a record that cannot be read is set aside, and the others are listed",
    arguments: [
      "{\"id\":123,\"updatedAt\":\"2026-11-30T17:24:00Z\"}",
      "{\"updatedAt\":\"2026-11-30T17:24:00Z\"}",
      "{\"id\":\"\",\"updatedAt\":\"2026-11-30T17:24:00Z\"}", "{\"id\":\"x\"}",
      "{\"id\":\"x\",\"updatedAt\":\"yesterday\"}", "{\"id\":\"x\\ud800\",\"updatedAt\":0}",
      "{\"id\":\"x\",\"updatedAt\":\"2026-11-30T17:24:00Z\",\"title\":\"\u{B}\"}",
      "{\"id\":\"\(String(repeating: "x", count: 4096))\",\"updatedAt\":0}",
      "{\"id\":\"x\",\"updatedAt\":0,\"title\":\"\\ud800\",\"body\":\"\",\"state\":\"todo\"}",
    ])
  func unreadable(_ bad: String) async throws {
    let scripted = try Scripted { _, _ in
      .json("[\(Self.entry("a")),\(bad),\(Self.entry("b"))]", headers: ["X-Total-Count": "3"])
    }
    let entries = try await scripted.remote.entries()
    #expect(entries.count == 3)
    guard case .unreadable(let record) = entries[1] else {
      Issue.record("\(entries[1])")
      return
    }
    #expect(!record.reason.isEmpty)
    #expect(record.id.utf8.count <= 255)
  }

  @Test("a summary that leaves contents out is a digest, a whole record is a record")
  func summaries() async throws {
    let stamp = "\"updatedAt\":\"2026-11-30T17:24:00Z\""
    let scripted = try Scripted { _, _ in
      .json(
        """
        [{"id":"a",\(stamp),"title":"t"},{"id":"b",\(stamp),"_links":{}},
         {"id":"c",\(stamp),"title":"t","body":"b","state":"todo","x":1}]
        """)
    }
    let entries = try await scripted.remote.entries()
    guard case .digest = entries[0], case .digest = entries[1], case .record(let c) = entries[2]
    else {
      Issue.record("\(entries)")
      return
    }
    #expect(c.project.extra.json == "{\"x\":1}")
  }

  @Test("one id twice is handed over twice")
  func duplicates() async throws {
    let scripted = try Scripted { _, _ in .json("[\(Self.entry("a")),\(Self.entry("a"))]") }
    #expect(try await scripted.remote.entries().count == 2)
  }

  @Test("nesting and length without end are refused in bounded memory")
  func bombs() async throws {
    let deep = try Scripted { _, _ in
      .json("[{\"id\":" + String(repeating: "[", count: 100_000))
    }
    #expect(await deep.listingError()?.code == .protocolViolation)
    let large = try Scripted { request, _ in
      throw TransportError.scripted(.tooLarge, request)
    }
    #expect(await large.listingError()?.code == .protocolViolation)
    #expect(large.transport.requests.count == 1)
  }

  @Test("requests say who asks, and carry what the user adds")
  func headers() async throws {
    let scripted = try Scripted(change: .setting { $0.headers = ["X-Tenant": "7"] }) { _, _ in
      .json("[]")
    }
    _ = try await scripted.remote.entries()
    let headers = try #require(scripted.transport.requests.first).headers
    #expect(headers["User-Agent"] == "syncd/\(syncdVersion)")
    #expect(headers["X-Tenant"] == "7")
    #expect(headers["Authorization"] == nil)
  }
}
