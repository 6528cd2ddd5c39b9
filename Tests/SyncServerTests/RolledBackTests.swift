import SyncServer
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("A server's store that was put back from a backup")
struct RolledBackTests {
  /// The collection's tag, and what the server says of it.
  private func ask(_ server: Running, _ tag: String) throws -> (status: Int, rolledBack: String?) {
    let reply = try server.get("", ["If-None-Match": tag])
    return (Int(reply.status), reply["Syncd-Rolled-Back"])
  }

  private func tag(_ server: Running) throws -> String { try #require(try server.get()["ETag"]) }

  @Test("says so to who knows a later state, however much was written since; never to others")
  func backup() throws {
    try Running.withFile { path in
      let backup = path + ".backup"
      let old = try Running.with(path: path) { server in
        for id in ["a", "b"] { _ = try server.put(id) }
        return try tag(server)
      }
      try FileManager.default.copyItem(atPath: path, toPath: backup)
      let later = try Running.with(path: path) { server in
        for id in ["c", "d"] { _ = try server.put(id) }
        #expect(try ask(server, old) == (200, nil))
        return try tag(server)
      }
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
      try FileManager.default.copyItem(atPath: backup, toPath: path)
      try Running.with(path: path) { server in
        #expect(try ask(server, old) == (304, nil))
        #expect(try ask(server, later) == (200, "1"))
        for number in 0..<5 {
          _ = try server.put("e\(number)", ",\"n\":\(number)")
          #expect(try ask(server, later) == (200, "1"))
          #expect(try ask(server, old) == (200, nil))
        }
        // Many changes at once have one end.
        let end = try #require(later.split(separator: "-").dropFirst().first.flatMap { Int($0) })
        let lines = (0..<9).map { number in
          #"{"put":{"id":"f\#(number)","updatedAt":"\#(Running.stamp)"}}"#
        }
        _ = try server.post("batch", lines.joined(separator: "\n"))
        let inside = later.replacing("-\(end)-", with: "-\(end + 6)-")
        #expect(inside != later)
        #expect(try ask(server, inside) == (200, "1"))
        #expect(try ask(server, try tag(server)) == (304, nil))
        for other in ["\"x\"", "*", "\"00000000-9-0000000000000000\""] {
          #expect(try ask(server, other).rolledBack == nil)
        }
      }
    }
  }
}
