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

  static let lies: [Lie] =
    [404, 410].map { status in
      Lie("\(status)", 76) { _ in .response(status, headers: html, body: "<h1>no</h1>") }
    }
    + [401, 403].map { status in Lie("\(status)", 77) { _ in .response(status, body: "no") } }
    + [500, 503].map { status in
      Lie("\(status) with HTML", 75) { _ in .response(status, headers: html, body: "<h1>no</h1>") }
    } + [
      Lie("a 200 login page", 76) { _ in
        .response(200, headers: html, body: "<html>please log in</html>")
      },
      Lie("null", 76) { _ in .json("null") },
      Lie("an envelope nobody configured", 76) { _ in .json(#"{"data":[]}"#) },
      Lie("an empty body", 76) { _ in .json("") },
      Lie("page two fails", 75) { request in
        if request.target.contains("offset") { return .response(500) }
        return .json("[\(record)]", headers: ["Link": "</projects?offset=1>; rel=\"next\""])
      },
      Lie("a body cut short", 76) { _ in
        .pieces(
          headers: ["Content-Type": "application/json"], length: 1000, [Array("[\(record)".utf8)])
          + .close
      },
      Lie("a chunked body without its end", 76) { _ in
        .chunked(
          headers: ["Content-Type": "application/json"], [Array("[\(record)]".utf8)], ended: false)
          + .close
      },
      Lie("JSON cut short with every length right", 76) { _ in .json("[\(record)") },
      Lie("a total that is not reached", 76) { _ in
        .json("[\(record)]", headers: ["X-Total-Count": "300"])
      },
      Lie("a next link that points back", 76) { _ in
        .json("[\(record)]", headers: ["Link": "</projects>; rel=\"next\""])
      },
      Lie("nested 100,000 deep", 76) { _ in .json(String(repeating: "[", count: 100_000)) },
      Lie("a length of 2^63", 76) { _ in
        .raw(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            + "Content-Length: 9223372036854775808\r\n\r\n[]") + .close
      },
      Lie("a redirect to another host", 76) { _ in .redirect(to: "http://example.invalid/projects")
      },
    ]

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
    let entries = [
      #"{"id":"nul","title":"a\u0000b","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"id":"lone","title":"\ud800","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"id":"tab","title":"a\u000bb","updatedAt":"2026-01-01T05:45:00+05:45"}"#,
      #"{"id":123,"title":"number","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"title":"no id","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"id":"","title":"empty id","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"id":"\#(String(repeating: "x", count: 4096))","title":"long","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"id":"ok","title":"fine","updatedAt":1767225600}"#,
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
