import SyncCore
import SyncKit
import TestSupport
import Testing

/// The real binary against a plain REST server that nobody here wrote for it.
@Suite("syncd and a plain REST server")
struct PlainRESTTests {
  typealias Behaviour = PlainRESTServer.Behaviour

  /// The kinds of plain servers there are.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case etags, listedETags, none, ignoresConditions, emptyReplies, emptyRepliesWithoutETags
    case pages, digests, seconds, milliseconds, ownStamps

    var testDescription: String { rawValue }

    var behaviour: Behaviour {
      var behaviour = Behaviour()
      switch self {
      case .etags: break
      case .listedETags: behaviour.listsETags = true
      case .none: behaviour.hasETags = false
      case .ignoresConditions: behaviour.honoursConditions = false
      case .emptyReplies: behaviour.reply = .empty
      case .emptyRepliesWithoutETags:
        behaviour.hasETags = false
        behaviour.reply = .empty
      case .pages:
        behaviour.pageSize = 3
        behaviour.statesTotal = true
      case .digests: behaviour.listsDigests = true
      case .seconds: behaviour.stampUnit = 1_000_000
      case .milliseconds:
        behaviour.stampUnit = 1000
        behaviour.hasETags = false
        behaviour.reply = .empty
      case .ownStamps: behaviour.stamp = Timestamp(microseconds: 4_000_000_000_000_000)
      }
      return behaviour
    }
  }

  @Test(
    "appends, updates and deletes by the table; a second run writes nothing",
    arguments: Kind.allCases)
  func push(kind: Kind) async throws {
    let tool = try Tool()
    let server = try PlainRESTServer()
    server.behaviour = kind.behaviour
    try server.put("r1", title: "only there")
    for id in ["a", "b", "c", "d"] { try await tool.run("add", id, "--id", id) }

    let first = try await tool.once(server.url)
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.report.remote == .init(appended: 4, updated: 0, deleted: 1))
    #expect(server.titles == ["a": "a", "b": "b", "c": "c", "d": "d"])
    try await expectAtRest(tool, server)

    try await tool.run("edit", "a", "--title", "edited")
    try await tool.sql("UPDATE projects SET title = 'by hand' WHERE id = 'b'")
    try await tool.run("rm", "c")
    try await tool.run("add", "e", "--id", "e")
    let second = try await tool.once(server.url)
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.report.remote == .init(appended: 1, updated: 2, deleted: 1))
    #expect(server.titles == ["a": "edited", "b": "by hand", "d": "d", "e": "e"])
    try await expectAtRest(tool, server)
    try await expectAtRest(tool, server)
  }

  @Test(
    "two stores with one remote end equal in both", arguments: [Kind.etags, .none, .listedETags])
  func both(kind: Kind) async throws {
    let server = try PlainRESTServer()
    server.behaviour = kind.behaviour
    let one = try await device(server, adding: ["a", "b"])
    let other = try await device(server, adding: ["c"])
    for tool in [one, other, one] { _ = try await tool.run("once") }
    try await one.run("edit", "c", "--title", "from one")
    try await other.run("rm", "a")
    for tool in [one, other, one, other] { _ = try await tool.run("once") }
    #expect(try await one.titles() == ["b": "b", "c": "from one"])
    #expect(try await other.titles() == (try await one.titles()))
    #expect(server.titles == (try await one.titles()))
    server.wire.forgetRequests()
    for tool in [one, other] { _ = try await tool.run("once") }
    #expect(server.writes.isEmpty)
  }

  private func device(_ server: PlainRESTServer, adding ids: [String]) async throws -> Tool {
    let tool = try Tool()
    try tool.folder.write(
      "{ remote: { url: \"\(server.url)\" }, direction: \"both\" }", to: "syncd/config.json5")
    for id in ids { try await tool.run("add", id, "--id", id) }
    return tool
  }

  @Test("every id of the table round-trips")
  func oddIDs() async throws {
    let ids = [
      "a/b", "..", ".", "%2e%2e", "a?b", "a#b", "a;b", "a%2Fb", "a%252Fb", "a b", " a", "a+b",
      "a@b", "a:b", "a&b=c", "\u{e9}", "e\u{301}", "ABC", "abc", "프로젝트", "🗓",
      String(repeating: "x", count: 255),
    ]
    let tool = try Tool()
    let server = try PlainRESTServer()
    for id in ids { try await tool.run("add", "title", "--id", id) }
    let first = try await tool.once(server.url + "/")
    #expect(first.report.remote.appended == ids.count, "\(first.report.message)")
    #expect(server.ids == Set(try ids.map { try ProjectID($0) }))
    try await expectAtRest(tool, server)
    try await tool.sql("UPDATE projects SET title = 'again'")
    #expect(try await tool.once(server.url).report.remote.updated == ids.count)
    try await tool.sql("DELETE FROM projects WHERE id <> 'abc'")
    let last = try await tool.once(server.url, "--force-delete")
    #expect(last.report.remote.deleted == ids.count - 1, "\(last.report.message)")
    try await expectAtRest(tool, server)
  }

  @Test("a plan changes no byte of the store and asks for no write")
  func plan() async throws {
    let tool = try Tool()
    let server = try PlainRESTServer()
    try server.put("r1", title: "only there")
    for id in ["a", "b"] { try await tool.run("add", id, "--id", id) }
    let before = try tool.folder.bytes("projects.db")
    let result = try await tool.run("plan", "--exit-code", "--json", "--remote", server.url)
    #expect(result.status == 10, "\(result.errors)")
    #expect(result.output.contains(#""append":["a","b"]"#))
    #expect(server.writes.isEmpty)
    #expect(try tool.folder.bytes("projects.db") == before)
  }

  private func expectAtRest(
    _ tool: Tool, _ server: PlainRESTServer, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    server.wire.forgetRequests()
    let result = try await tool.once(server.url)
    #expect(result.status == 0, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.report.remote.total == 0, sourceLocation: sourceLocation)
    #expect(result.report.local.total == 0, sourceLocation: sourceLocation)
    #expect(server.writes.isEmpty, sourceLocation: sourceLocation)
  }
}
