import SyncKit
import SyncServer
import Testing

@Suite("A server's store of an earlier version")
struct MigrationTests {
  /// Makes the file as that version left it. Later ones only added tables.
  private func takeBack(_ path: String, to version: Int64) throws {
    let database = try Database(path: path)
    // Tombstones had no hash yet.
    try database.execute("UPDATE head SET hash = 0 WHERE contents IS NULL")
    try database.execute("DROP TABLE chunk")
    if version < 2 { try database.execute("DROP TABLE mark") }
    try database.execute("PRAGMA user_version = \(version)")
  }

  private func compared(_ server: Running) throws -> RangeAnswer {
    let all = AskedRange(IDRange(), fingerprint: RangeFingerprint(bits: 0))
    let reply = try server.client.send(
      "POST", Running.path + "/compare", ["Content-Type": rangesMediaType],
      body: RangeQuestion(parts: 16, ranges: [all]).bytes)
    return try RangeAnswer(reply.body, asked: 1)
  }

  @Test("goes on with everything it held", arguments: [Int64(1), 2])
  func earlier(version: Int64) throws {
    let asked = ["Syncd-Keep-Deletions": "?1"]
    try Running.withFile { path in
      let before = try Running.with(path: path) { (server) throws in
        for number in 0..<150 { _ = try server.put("p\(number)", ",\"n\":\(number)") }
        #expect(try server.put("gone", "", asked).status == 201)
        _ = try server.delete("gone")
        let listing = try server.get()
        return (
          listing.text, listing["ETag"], try server.get("/changes?since=0").text,
          try compared(server)
        )
      }
      try takeBack(path, to: version)
      for _ in 0..<2 {
        try Running.with(path: path) { (server) throws in
          let listing = try server.get()
          #expect(listing.text == before.0 && listing["ETag"] == before.1)
          #expect(try server.get("/changes?since=0").text == before.2)
          let answer = try compared(server)
          #expect(answer == before.3 && answer.records == 150)
        }
      }
      try Running.with(path: path) { (server) throws in
        // Which version was deleted then, nobody knows any more.
        #expect(try server.put("gone", "", asked).status == 201)
        _ = try server.delete("gone")
        #expect(try server.put("gone", "", asked).status == 410)
      }
    }
  }

  @Test("one of a later version is refused and left as it is")
  func later() throws {
    try Running.withFile { path in
      try Running.with(path: path) { (server) throws in _ = try server.put("a") }
      try Database(path: path).execute("PRAGMA user_version = 1000")
      #expect(throws: ServerError.self) {
        try SyncServer(SyncServer.Options(storePath: path)).stop()
      }
      #expect(try Database(path: path).integer("PRAGMA user_version") == 1000)
    }
  }
}
