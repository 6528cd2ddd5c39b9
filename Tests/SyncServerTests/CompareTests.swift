import SyncServer
import Testing

@Suite("Comparing ranges")
struct CompareTests {
  private func ask(_ server: Running, _ ranges: String) throws -> Reply {
    try server.post("compare", "{\"ranges\":[\(ranges)]}", type: "application/json")
  }

  @Test("a range is named, with its items in order; one that is equal says so")
  func answers() throws {
    try Running.with { (server) throws in
      for id in ["b", "a", "c"] { _ = try server.put(id) }
      _ = try server.delete("b")
      let all = try ask(server, "{}").decode(Compared.self)
      #expect(all.records == 2)
      #expect(all.ranges.count == 1 && all.ranges[0].items?.map(\.id) == ["a", "c"])
      let part = try ask(server, #"{"from":"b","to":"d"},{"to":"a"}"#).decode(Compared.self)
      #expect(part.ranges.map(\.from) == ["b", nil] && part.ranges.map(\.to) == ["d", "a"])
      #expect(part.ranges.map { $0.items?.map(\.id) } == [["c"], []])
      let none = try ask(server, #"{"from":"c","to":"a"}"#).decode(Compared.self)
      #expect(none.ranges.map { $0.items?.map(\.id) } == [[]])
    }
  }

  @Test("many records are cut into parts, whose fingerprints are equal when asked about again")
  func parts() throws {
    try Running.with { (server) throws in
      let lines = (0..<100).map { number in
        #"{"put":{"id":"p\#(number)","updatedAt":"\#(Running.stamp)"}}"#
      }
      _ = try server.post("batch", lines.joined(separator: "\n"))
      let all = try ask(server, #"{"fingerprint":"none"}"#).decode(Compared.self)
      #expect(all.ranges.count == 16)
      for range in all.ranges {
        var text = #""fingerprint":"\#(try #require(range.fingerprint))""#
        if let from = range.from { text += #","from":"\#(from)""# }
        if let to = range.to { text += #","to":"\#(to)""# }
        #expect(try ask(server, "{\(text)}").decode(Compared.self).ranges.map(\.equal) == [true])
      }
    }
  }

  @Test(
    "what is no question is refused",
    arguments: [
      "", "[]", "{}", #"{"ranges":[1]}"#, #"{"ranges":[{"fingerprint":null}]}"#,
      #"{"ranges":[{"from":""}]}"#, #"{"ranges":[{"from":1}]}"#, #"{"ranges":["#,
    ])
  func refused(_ body: String) throws {
    try Running.with { (server) throws in
      #expect(try server.post("compare", body, type: "application/json").problem().status == 400)
    }
  }

  @Test("as many ranges as are taken, and one more")
  func limits() throws {
    try Running.with { (server) throws in
      let ranges = { (count: Int) in
        Array(repeating: #"{"to":"a"}"#, count: count).joined(separator: ",")
      }
      #expect(try ask(server, ranges(256)).decode(Compared.self).ranges.count == 256)
      #expect(try ask(server, ranges(257)).problem().status == 413)
    }
  }
}

private struct Compared: Decodable {
  struct Item: Decodable { var id: String }

  struct Part: Decodable {
    var from: String?
    var to: String?
    var equal: Bool?
    var fingerprint: String?
    var items: [Item]?
  }

  var records: Int
  var ranges: [Part]
}
