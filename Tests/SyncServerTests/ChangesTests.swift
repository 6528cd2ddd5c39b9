import SyncServer
import Testing

@Suite("Changes since a sequence number")
struct ChangesTests {
  private func changes(_ server: Running, _ query: String) throws -> Changes {
    try server.get("/changes?\(query)").decode(Changes.self)
  }

  @Test("each id once, at its last change, deletions as tombstones")
  func order() throws {
    try Running.with { (server) throws in
      _ = try server.put("a", #","n":1"#)
      _ = try server.put("b")
      let last = try server.put("a", #","n":2"#)
      _ = try server.delete("b")
      _ = try server.put("c")
      let all = try changes(server, "since=0")
      #expect(all.changes.map(\.id) == ["a", "b", "c"])
      #expect(all.changes.map(\.deleted) == [false, true, false])
      #expect(all.changes.map(\.seq) == [3, 4, 5])
      #expect(all.changes[0].etag == last["ETag"])
      #expect(all.changes[1].etag == nil)
      #expect(all.next == 5)
      #expect(!all.more)
      #expect(try changes(server, "since=4").changes.map(\.id) == ["c"])
      let none = try changes(server, "since=5&epoch=\(all.epoch)")
      #expect(none.changes.isEmpty)
      #expect(none.next == 5)
    }
  }

  @Test("pages join without a gap, and the listing names the number to go on from")
  func pages() throws {
    try Running.with { (server) throws in
      for number in 0..<7 { _ = try server.put("p\(number)") }
      let cursor = try #require(try server.get()["Syncd-Sequence"])
      var seen: [String] = []
      var since = 0
      var more = true
      while more {
        let page = try changes(server, "since=\(since)&limit=3")
        seen += page.changes.map(\.id)
        (since, more) = (page.next, page.more)
      }
      #expect(seen == (0..<7).map { "p\($0)" })
      #expect(cursor == String(since))
    }
  }

  @Test("a number older than the kept history, from the future or of another epoch is 410")
  func gone() throws {
    var limits = SyncServer.Limits()
    limits.tombstones = 5
    try Running.with(limits: limits) { (server) throws in
      for number in 0..<20 {
        _ = try server.put("p\(number)")
        if number < 18 { _ = try server.delete("p\(number)") }
      }
      #expect(try server.get("/changes?since=0").problem().status == 410)
      #expect(try server.get("/changes?since=39").problem().status == 410)
      let current = try #require(try server.get()["Syncd-Sequence"].flatMap { Int($0) })
      let kept = try changes(server, "since=\(current - 4)")
      #expect(kept.next == current)
      #expect(
        try server.get("/changes?since=\(current)&epoch=elsewhere").problem().status == 410)
      #expect(try server.listing().entries.map(\.id) == ["p18", "p19"])
    }
  }

  @Test("304 where nothing changed since, and 410 where the history does not go on from there")
  func conditions() throws {
    try Running.with { (server) throws in
      _ = try server.put("a")
      let tag = try #require(try server.get()["ETag"])
      let condition = ["If-None-Match": tag]
      #expect(try server.get("/changes?since=1", condition).status == 304)
      // A page in the middle is told, whatever the condition says.
      #expect(try server.get("/changes?since=0", condition).decode(Changes.self).next == 1)
      _ = try server.put("b")
      #expect(try server.get("/changes?since=1", condition).decode(Changes.self).next == 2)
      let parts = tag.split(separator: "-")
      let elsewhere = ["If-None-Match": "\(parts[0])-1-0123456789abcdef\""]
      #expect(try server.get("/changes?since=1", elsewhere).problem().status == 410)
    }
  }

  @Test(
    "since has to be a whole number from 0",
    arguments: ["since=", "since=-1", "since=x", "since=1&since=2", "since=1&limit=0"])
  func badQuery(_ query: String) throws {
    try Running.with { (server) throws in
      #expect(try server.get("/changes?\(query)").problem().status == 400)
    }
  }

}
