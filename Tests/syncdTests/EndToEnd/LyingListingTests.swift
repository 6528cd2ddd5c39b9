import SyncKit
import TestSupport
import Testing

/// "A listing that lies", on the wire: nothing is written, and the exit code says what it was.
@Suite("A listing that lies, on the wire")
struct LyingListingTests {
  struct Lie: Sendable, CustomTestStringConvertible {
    var name: String
    var status: Int32
    var script: @Sendable (WireRequest) -> WireScript
    var testDescription: String { name }

    init(_ name: String, _ status: Int32, _ script: @escaping @Sendable (WireRequest) -> WireScript)
    {
      self.name = name
      self.status = status
      self.script = script
    }
  }

  private static let html = HTTPHeaders(dictionaryLiteral: ("Content-Type", "text/html"))
  private static let record = #"{"id":"r1","title":"x","updatedAt":"2026-01-01T00:00:00.000000Z"}"#

  private static let json = HTTPHeaders(dictionaryLiteral: ("Content-Type", "application/json"))

  private static func answering(_ status: Int) -> Lie {
    let code: Int32 = [401: 77, 403: 77, 500: 75, 503: 75][status] ?? 76
    return Lie("\(status) with HTML", code) { _ in
      .response(status, headers: html, body: "<h1>no</h1>")
    }
  }

  private static func saying(_ name: String, _ script: WireScript) -> Lie {
    Lie(name, 76) { _ in script }
  }

  private static func next(_ target: String) -> HTTPHeaders {
    HTTPHeaders(dictionaryLiteral: ("Link", "<\(target)>; rel=\"next\""))
  }

  static let lies: [Lie] = {
    var lies: [Lie] = [404, 410, 401, 403, 500, 503].map(answering)
    let login = "<html>please log in</html>"
    lies.append(saying("a 200 login page", .response(200, headers: html, body: login)))
    lies.append(saying("null", .json("null")))
    lies.append(saying("an envelope nobody configured", .json(#"{"data":[]}"#)))
    lies.append(saying("an empty body", .json("")))
    lies.append(
      Lie("page two fails", 75) { request in
        if request.target.contains("offset") { return .response(500) }
        return .json("[\(record)]", headers: next("/projects?offset=1"))
      })
    let start: [UInt8] = Array("[\(record)".utf8)
    let cut: WireScript = .pieces([start], length: 1000, headers: json)
    lies.append(saying("a body cut short", cut + .close))
    let whole: [UInt8] = Array("[\(record)]".utf8)
    let endless: WireScript = .chunked([whole], headers: json, ended: false)
    lies.append(saying("a chunked body without its end", endless + .close))
    lies.append(saying("JSON cut short with every length right", .json("[\(record)")))
    let total = HTTPHeaders(dictionaryLiteral: ("X-Total-Count", "300"))
    lies.append(saying("a total that is not reached", .json("[\(record)]", headers: total)))
    lies.append(
      saying("a next link that points back", .json("[\(record)]", headers: next("/projects"))))
    let deep = String(repeating: "[", count: 100_000)
    lies.append(saying("nested 100,000 deep", .json(deep)))
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    let endlessLength: WireScript = .raw(head + "Content-Length: 9223372036854775808\r\n\r\n[]")
    lies.append(saying("a length of 2^63", endlessLength + .close))
    lies.append(
      saying("a redirect to another host", .redirect(to: "http://example.invalid/projects")))
    return lies
  }()

  @Test("nothing is written on either side", arguments: lies, ["push", "both"])
  func lie(_ lie: Lie, direction: String) async throws {
    let tool = try Tool()
    let server = try PlainRESTServer()
    try tool.folder.write("{ direction: \"\(direction)\" }", to: "syncd/config.json5")
    for id in ["a", "b", "c"] { try await tool.run("add", id, "--id", id) }
    #expect(try await tool.once(server.url).status == 0)
    try await tool.run("edit", "a", "--title", "edited")
    server.wire.forgetRequests()
    server.intercept(lie.script)
    let result = try await tool.once(server.url)
    #expect(result.status == lie.status, "\(result.report.message)")
    #expect(server.writes.isEmpty)
    #expect(server.wire.requests.count < 10)
    #expect(result.report.message.contains(server.wire.url), "\(result.report.message)")
    #expect(try await tool.titles().count == 3)

    server.intercept(nil)
    #expect(try await tool.once(server.url).status == 0)
    server.wire.forgetRequests()
    #expect(try await tool.once(server.url).report.remote.total == 0)
    #expect(server.writes.isEmpty)
  }

  @Test("a list that is empty because the token is missing deletes nothing and says so")
  func missingToken() async throws {
    let tool = try Tool()
    let server = try PlainRESTServer()
    server.behaviour.token = "the-secret"
    for id in ["a", "b", "c"] { try await tool.run("add", id, "--id", id) }
    let known = try await tool.once(server.url, environment: ["SYNCD_TOKEN": "the-secret"])
    #expect(known.status == 0)
    server.wire.forgetRequests()
    server.intercept { request in
      let isList = request.method == "GET" && request.path == "/projects"
      return isList && request.headers["Authorization"] == nil ? .json("[]") : nil
    }
    let result = try await tool.once(server.url)
    #expect(result.status == 77, "\(result.report.message)")
    #expect(server.writes.isEmpty)
    #expect(server.titles.count == 3)
  }

  @Test("records with odd contents are carried or set aside, and the others go on")
  func oddContents() async throws {
    let server = try PlainRESTServer()
    let tool = try Tool()
    try tool.folder.write("{ direction: \"pull\" }", to: "syncd/config.json5")
    let stamp = #""updatedAt":"2026-01-01T00:00:00Z","body":"","state":"todo""#
    let entries: [String] = [
      #"{"id":"nul","title":"a\u0000b",\#(stamp)}"#,
      #"{"id":"lone","title":"\ud800",\#(stamp)}"#,
      #"{"id":"tab","title":"a\u000bb",\#(stamp)}"#,
      #"{"id":123,"title":"number",\#(stamp)}"#,
      #"{"title":"no id",\#(stamp)}"#,
      #"{"id":"","title":"empty id",\#(stamp)}"#,
      #"{"id":"\#(String(repeating: "x", count: 4096))","title":"long",\#(stamp)}"#,
      #"{"id":"ok","title":"fine","body":"","state":"done","updatedAt":1767225600}"#,
    ]
    server.intercept { request in
      request.path == "/projects" ? .json("[" + entries.joined(separator: ",") + "]") : nil
    }
    let result = try await tool.once(server.url)
    #expect(result.status == 1, "\(result.report.message)")
    #expect(result.report.failed.count == 5)
    let titles = try await tool.titles()
    #expect(Set(titles.keys) == ["nul", "tab", "ok"])
    #expect(titles["nul"] == "a\0b")
    #expect(try await tool.once(server.url).report.local.total == 0)
  }
}
