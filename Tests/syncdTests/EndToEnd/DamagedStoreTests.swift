import SyncKit
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A damaged store, end to end")
struct DamagedStoreTests {
  enum Damage: String, CaseIterable {
    case truncated, overwrittenPages, notADatabase, emptied, fromTheFuture

    func apply(to tool: Tool) async throws {
      if self == .fromTheFuture {
        try await tool.sql("PRAGMA user_version = 99")
        return
      }
      try await tool.sql("PRAGMA wal_checkpoint(TRUNCATE)")
      for suffix in ["-wal", "-shm"] where tool.folder.exists("projects.db" + suffix) {
        try tool.folder.remove("projects.db" + suffix)
      }
      var bytes = try tool.folder.bytes("projects.db")
      switch self {
      case .truncated: bytes.removeLast(bytes.count * 2 / 5)
      case .overwrittenPages:
        let middle = bytes.count / 2 / 4096 * 4096
        for index in middle..<(middle + 8192) {
          bytes[index] = UInt8(truncatingIfNeeded: index &* 31)
        }
      case .notADatabase: bytes = Array("This is a letter to a friend, and no database.".utf8)
      default: bytes = []
      }
      try tool.folder.write(bytes, to: "projects.db")
    }
  }

  @Test("is exit 74 of a run, and nothing is written anywhere", arguments: Damage.allCases)
  func run(damage: Damage) async throws {
    let (tool, server) = try await Tool.synced(200)
    try await damage.apply(to: tool)
    for direction in ["push", "both"] {
      try tool.folder.write("{ direction: \"\(direction)\" }", to: "syncd/config.json5")
      let result = try await tool.once(server.url)
      #expect(result.status == 74, "\(damage) \(direction): \(result.report.message)")
      #expect(server.writes.isEmpty)
      #expect(server.titles.count == 200)
    }
  }

  @Test("is exit 74 of every command, and no byte of it changes", arguments: Damage.allCases)
  func commands(damage: Damage) async throws {
    let (tool, server) = try await Tool.synced(200)
    try await tool.run("edit", "p1", "--title", "edited")
    try await damage.apply(to: tool)
    let before = try tool.folder.bytes("projects.db")
    let commands = [
      ["add", "new"], ["edit", "p1", "--title", "again"], ["rm", "p1"], ["list"], ["show", "p1"],
      ["history", "p1"], ["restore", "p1"], ["status"], ["status", "--json"], ["export"],
      ["import", "-", "--format", "ndjson"], ["plan", "--remote", server.url],
    ]
    for command in commands {
      let result = try await tool.start(
        command + ["--store", tool.store], input: #"{"title":"new"}"#
      ).wait()
      #expect(result.status == 74, "\(damage): \(command): \(result.output)\(result.errors)")
      #expect(result.output.isEmpty || command == ["export"], "\(damage): \(command)")
      #expect(try tool.folder.bytes("projects.db") == before, "\(damage): \(command)")
    }
    #expect(server.writes.isEmpty)
  }

  @Test("that is put back works on, and a second run writes nothing")
  func putBack() async throws {
    let (tool, server) = try await Tool.synced(200)
    try tool.folder.copy("projects.db", to: "copy.db")
    try await Damage.overwrittenPages.apply(to: tool)
    #expect(try await tool.run("add", "new").status == 74)
    try tool.folder.copy("copy.db", to: "projects.db")
    #expect(try await tool.run("add", "new").status == 0)
    #expect(try await tool.once(server.url).report.remote.appended == 1)
    server.wire.forgetRequests()
    #expect(try await tool.once(server.url).report.remote.total == 0)
    #expect(server.writes.isEmpty)
  }

  @Test("a store whose file was moved away is not made anew over the log that it left behind")
  func movedAway() async throws {
    let tool = try Tool()
    try await tool.run("add", "precious", "--id", "p1")
    do {
      // Somebody has it open, so that what is written stays in the log.
      let holder = try LocalStore(path: tool.store)
      try await tool.run("edit", "p1", "--title", "in the log")
      let log = try tool.folder.bytes("projects.db-wal")
      #expect(!log.isEmpty)
      #expect(rename(tool.store, tool.folder.file("moved.db")) == 0)
      let result = try await tool.run("add", "another")
      #expect(result.status == 74)
      #expect(result.errors.contains("projects.db-wal"))
      #expect(try tool.folder.bytes("projects.db-wal") == log)
      #expect(rename(tool.folder.file("moved.db"), tool.store) == 0)
      withExtendedLifetime(holder) {}
    }
    #expect(try await tool.titles() == ["p1": "in the log"])
  }
}
