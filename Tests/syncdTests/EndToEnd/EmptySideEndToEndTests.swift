import TestSupport
import Testing

@Suite("A side that looks empty, end to end")
struct EmptySideEndToEndTests {
  private func filled(
    _ count: Int = 20, direction: String = "push"
  ) async throws -> (Tool, PlainRESTServer) {
    let tool = try Tool()
    let server = try PlainRESTServer()
    try tool.folder.write("{ direction: \"\(direction)\" }", to: "syncd/config.json5")
    let lines = (0..<count).map { #"{"id":"p\#($0)","title":"project \#($0)"}"# }
    let imported = try await tool.run(
      "import", "-", "--format", "ndjson", input: lines.joined(separator: "\n"))
    #expect(imported.status == 0, "\(imported.errors)")
    let first = try await tool.once(server.url)
    #expect(first.report.remote.appended == count, "\(first.report.message)")
    server.wire.forgetRequests()
    return (tool, server)
  }

  @Test(
    "the store file deleted between two runs deletes nothing in push and is filled again in both")
  func fileDeleted() async throws {
    for direction in ["push", "both"] {
      let (tool, server) = try await filled(direction: direction)
      for suffix in ["", "-wal", "-shm"] where tool.folder.exists("projects.db" + suffix) {
        try tool.folder.remove("projects.db" + suffix)
      }
      let result = try await tool.once(server.url)
      #expect(result.status == (direction == "push" ? 3 : 0), "\(result.report.message)")
      #expect(server.writes.isEmpty)
      #expect(server.titles.count == 20)
      if direction == "both" { #expect(try await tool.titles().count == 20) }
    }
  }

  @Test("a config that names a fresh store is refused")
  func freshStore() async throws {
    let (tool, server) = try await filled()
    let result = try await tool.start([
      "once", "--json", "--store", tool.folder.file("other.db"), "--remote", server.url,
    ]).wait()
    #expect(result.status == 3)
    #expect(result.output.contains("emptySide"))
    #expect(server.writes.isEmpty)
  }

  @Test("the last three removed by the sqlite3 shell are synced")
  func explicitDeletions() async throws {
    let (tool, server) = try await filled(3)
    try await tool.sql("DELETE FROM projects")
    let result = try await tool.once(server.url)
    #expect(result.status == 0)
    #expect(result.report.remote.deleted == 3)
    #expect(server.titles.isEmpty)
    #expect(try await tool.once(server.url).report.remote.total == 0)
  }

  @Test("a new, empty server at the same URL empties nothing here")
  func newServer() async throws {
    let (tool, server) = try await filled(direction: "both")
    server.removeAll()
    let result = try await tool.once(server.url)
    #expect(result.status == 3)
    #expect(result.report.refused?.guard == "emptySide")
    #expect(server.writes.isEmpty)
    #expect(try await tool.titles().count == 20)
  }

  @Test("a store put back from a backup undoes nothing that was made since")
  func restoredBackup() async throws {
    let (tool, server) = try await filled()
    try await tool.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    try tool.folder.copy("projects.db", to: "backup.db")
    try await tool.run("add", "made since", "--id", "new")
    try await tool.run("edit", "p1", "--title", "edited since")
    try await tool.run("rm", "p2")
    #expect(try await tool.once(server.url).status == 0)

    for suffix in ["-wal", "-shm"] where tool.folder.exists("projects.db" + suffix) {
      try tool.folder.remove("projects.db" + suffix)
    }
    try tool.folder.copy("backup.db", to: "projects.db")
    try await tool.run("edit", "p3", "--title", "after the restore")
    let result = try await tool.once(server.url)
    #expect(result.status == 0, "\(result.report.message)")
    #expect(server.titles["new"] == "made since")
    #expect(server.titles["p1"] == "edited since")
    #expect(server.titles["p2"] == nil)
    #expect(server.titles["p3"] == "after the restore")
    #expect(result.report.message.contains("restored"))
    server.wire.forgetRequests()
    _ = try await tool.once(server.url)
    #expect(server.writes.isEmpty)
  }

  @Test("95 of 100 gone is refused, and goes through with --force-delete")
  func massDeletion() async throws {
    let (tool, server) = try await filled(100)
    try await tool.sql("DELETE FROM projects WHERE id NOT IN ('p1','p2','p3','p4','p5')")
    let refused = try await tool.once(server.url)
    #expect(refused.status == 3)
    #expect(refused.report.refused?.deletions == 95)
    #expect(server.writes.isEmpty)
    let forced = try await tool.once(server.url, "--force-delete")
    #expect(forced.report.remote.deleted == 95)
    #expect(try await tool.once(server.url).report.remote.total == 0)
  }

  @Test("both sides really empty is fine twice")
  func bothEmpty() async throws {
    let tool = try Tool()
    let server = try PlainRESTServer()
    for _ in 0..<2 { #expect(try await tool.once(server.url).status == 0) }
    #expect(server.writes.isEmpty)
  }
}
