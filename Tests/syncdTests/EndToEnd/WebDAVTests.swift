import SyncKit
import TestSupport
import Testing

/// The real binary against real servers that do WebDAV.
@Suite("syncd and WebDAV")
struct WebDAVTests {
  private func world(
    _ kind: WebDAVServer.Kind, direction: String = "both"
  ) async throws -> (RealServer, url: String) {
    let url = try await WebDAVServer.shared(kind).folder()
    let world = try RealServer(url, direction: direction, restRequests: 1) { tool in
      try tool.folder.write(WebDAVServer.password, to: "password")
      let file = tool.folder.file("password")
      return """
        dialect: "webdav",
        auth: { basic: { user: "\(WebDAVServer.user)", password: { file: "\(file)" } } }
        """
    }
    return (world, url)
  }

  @Test(
    "2,000 projects, faults and kill -9 in between: both ends are equal, then at rest",
    arguments: WebDAVServer.Kind.allCases)
  func thousands(_ kind: WebDAVServer.Kind) async throws {
    let (world, _) = try await world(kind)
    try await world.fill(2000)
    try await world.expectThousandsToConverge(
      kills: [(1, true), (3, true), (30, false), (700, true), (40, true)], lastKill: 12
    ) { number in
      switch number % 97 {
      case 13: .answerLost
      case 46: .status(503)
      case 88: .lost
      default: nil
      }
    }
    #expect(world.proxy.wire.writes.isEmpty)
  }

  @Test(
    "nothing to do is one request, and one edit is a few", arguments: WebDAVServer.Kind.allCases)
  func idle(_ kind: WebDAVServer.Kind) async throws {
    let (world, _) = try await world(kind, direction: "push")
    try await world.fill(300)
    let first = try await world.tool.once(world.proxy.url)
    let most = kind == .apache ? 310 : 610
    #expect(first.status == 0 && first.report.requests <= most, "\(first.report)")
    try await world.expectAtRest(world.tool)
    try await world.tool.sql("UPDATE projects SET title='edited' WHERE id='p7'")
    let edit = try await world.tool.once(world.proxy.url)
    #expect(edit.report.remote.updated == 1 && edit.report.requests <= 5, "\(edit.report)")
    try await world.expectAtRest(world.tool)
  }

  @Test("wrong credentials delete nothing and end with 77", arguments: WebDAVServer.Kind.allCases)
  func strangers(_ kind: WebDAVServer.Kind) async throws {
    let (world, _) = try await world(kind)
    try await world.fill(10)
    #expect(try await world.tool.once(world.proxy.url).status == 0)
    try world.tool.folder.write("wrong", to: "password")
    #expect(try await world.tool.once(world.proxy.url).status == 77)
    #expect(try await world.tool.titles().count == 10)
  }

  @Test("a folder that is not there is no empty one", arguments: WebDAVServer.Kind.allCases)
  func noFolder(_ kind: WebDAVServer.Kind) async throws {
    let (world, _) = try await world(kind)
    try await world.fill(10)
    let run = try await world.tool.once(world.proxy.url + "/not/there")
    #expect(run.status == 76 && run.report.message.contains("make it"), "\(run.report.message)")
    #expect(try await world.tool.titles().count == 10)
  }

  @Test("what else is in the folder is left alone", arguments: WebDAVServer.Kind.allCases)
  func others(_ kind: WebDAVServer.Kind) async throws {
    let (world, url) = try await world(kind)
    let server = try await WebDAVServer.shared(kind)
    try await server.makeFolder(at: url + "/archive/")
    try await server.put("{}", at: url + "/archive/old.json")
    try await server.put("notes", at: url + "/readme.txt")
    try await world.fill(3)
    try await world.expectSynced()
    let password = world.tool.folder.file("password")
    _ = await (try ChildProcess("/bin/chmod", ["600", password])).wait()
    let check = try await world.tool.run("check", "--write", "--remote", world.proxy.url)
    #expect(check.status == 0, "\(check.output) \(check.errors)")
    try await world.expectAtRest(world.tool)
  }
}

extension RealServer {
  fileprivate func expectSynced() async throws {
    let run = try await tool.once(proxy.url)
    #expect(run.status == 0 && run.report.remote.appended == 3, "\(run.report)")
  }
}
