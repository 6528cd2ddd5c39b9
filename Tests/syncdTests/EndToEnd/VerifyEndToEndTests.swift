import TestSupport
import Testing

/// `syncd verify` with the real binary, before a plain server and before `syncd serve`.
@Suite("syncd verify")
struct VerifyEndToEndTests {
  private func verify(
    _ tool: Tool, _ url: String, _ options: String...
  ) async throws -> ChildProcess.Result {
    try await tool.start(
      ["verify", "--store", tool.store, "--remote", url, "--retry-for", "0s"] + options
    ).wait()
  }

  @Test("0 and one line when both sides are equal, 1 and every difference when not; writes nothing")
  func plain() async throws {
    let (tool, server) = try await Tool.synced(300)
    let equal = try await verify(tool, server.url)
    #expect(equal.status == 0, "\(equal.errors)")
    #expect(equal.output == "equal: 300 projects on both sides\n")

    try await tool.run("edit", "p1", "--title", "other")
    try await tool.run("rm", "p2")
    try await tool.run("add", "new", "--id", "zz")
    let different = try await verify(tool, server.url)
    #expect(different.status == 1)
    #expect(
      different.output == """
        differs            p1: title
        only on the remote p2
        only in the store  zz

        """)
    #expect(different.errors.contains("298 the same"))
    let json = try await verify(tool, server.url, "--json")
    #expect(
      json.output
        == #"{"differences":[{"id":"p1","kind":"differs","fields":["title"],"message":""},"#
        + #"{"id":"p2","kind":"onlyRemote","fields":[],"message":""},"#
        + #"{"id":"zz","kind":"onlyLocal","fields":[],"message":""}],"equal":false,"same":298,"#
        + "\"onlyLocal\":1,\"onlyRemote\":1,\"differing\":1,\"unreadable\":0}\n")
    #expect(json.status == 1)
    #expect(server.writes.isEmpty)

    #expect(try await tool.once(server.url).status == 0)
    #expect(try await verify(tool, server.url, "-q").output == "")
    #expect(try await tool.once(server.url).report.remote.total == 0)
  }

  @Test("before syncd serve, whose listing has no contents")
  func digests() async throws {
    let tool = try Tool()
    let remote = try await tool.serve()
    for number in 0..<30 { try await tool.run("add", "title \(number)", "--id", "p\(number)") }
    #expect(try await tool.once(remote.url).status == 0)
    #expect(try await verify(tool, remote.url, "--json").status == 0)
    try await tool.run("edit", "p7", "--body", "more")
    #expect(try await verify(tool, remote.url).output == "differs            p7: body\n")
    #expect(try await tool.once(remote.url).report.remote.updated == 1)
    #expect(try await verify(tool, remote.url).status == 0)
    #expect(try await tool.once(remote.url).report.remote.total == 0)
  }

  @Test("a remote that cannot be reached, or whose listing lies, is not equal")
  func untrusted() async throws {
    let (tool, server) = try await Tool.synced(3)
    server.behaviour.statesTotal = true
    server.behaviour.pageSize = 2
    #expect(try await verify(tool, server.url).status == 0)
    #expect(try await verify(tool, "http://127.0.0.1:1/v1/projects").status == 75)
    #expect(try await verify(tool, server.url + "/p1/none").status == 76)
  }
}
