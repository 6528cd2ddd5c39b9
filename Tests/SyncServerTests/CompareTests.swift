import SyncKit
import SyncServer
import Testing

@Suite("Comparing ranges")
struct CompareTests {
  private func send(_ server: Running, _ bytes: [UInt8]) throws -> Reply {
    try server.client.send(
      "POST", Running.path + "/compare", ["Content-Type": rangesMediaType], body: bytes)
  }

  private func ask(_ server: Running, _ ranges: AskedRange...) throws -> RangeAnswer {
    let reply = try send(server, RangeQuestion(parts: 16, ranges: ranges).bytes)
    #expect(reply.status == 200)
    return try RangeAnswer(Array(reply.body), asked: ranges.count)
  }

  private func range(_ from: String?, _ to: String?) throws -> IDRange {
    IDRange(from: try from.map { try ProjectID($0) }, to: try to.map { try ProjectID($0) })
  }

  private func ids(_ answer: RangeAnswer) -> [[String]?] {
    answer.contents.map { contents in
      guard case .items(let items) = contents else { return nil }
      return items.map(\.id.string)
    }
  }

  @Test("a range is named, with its items in order, their stamps and tags")
  func answers() throws {
    try Running.with { (server) throws in
      for id in ["b", "a", "c"] { _ = try server.put(id) }
      _ = try server.delete("b")
      let all = try ask(server, AskedRange(IDRange()))
      #expect(all.records == 2)
      #expect(ids(all) == [["a", "c"]])
      guard case .items(let items) = all.contents[0] else { return }
      #expect(items[0].updatedAt?.description == Running.stamp)
      #expect(items[0].etag == (try server.get("/a")["ETag"]))
      let part = try ask(
        server, AskedRange(try range(nil, "a")), AskedRange(try range("b", "d")))
      #expect(ids(part) == [[], ["c"]])
    }
  }

  @Test("many records are cut into parts, whose fingerprints are equal when asked about again")
  func parts() throws {
    try Running.with { (server) throws in
      let lines = (0..<1000).map { number in
        #"{"put":{"id":"p\#(number)","updatedAt":"\#(Running.stamp)"}}"#
      }
      _ = try server.post("batch", lines.joined(separator: "\n"))
      let all = try ask(server, AskedRange(IDRange(), fingerprint: RangeFingerprint(bits: 0)))
      guard case .parts(let bounds, let fingerprints) = all.contents[0] else {
        Issue.record("\(all)")
        return
      }
      #expect(fingerprints.count == 45 && bounds.count == 44)
      let ends = [nil] + bounds.map(Optional.some) + [nil]
      for (index, fingerprint) in fingerprints.enumerated() {
        let range = IDRange(from: ends[index], to: ends[index + 1])
        let again = try ask(server, AskedRange(range, fingerprint: fingerprint))
        #expect(again.contents == [.equal])
      }
    }
  }

  @Test(
    "what is no question is refused",
    arguments: [
      [], [1], [1, 16], [2, 16, 0], Array(#"{"ranges":[{}]}"#.utf8), [1, 16, 0, 0], [1, 16, 8],
      [1, 16, 12, 0, 98, 12, 0, 97],
    ] as [[UInt8]])
  func refused(_ body: [UInt8]) throws {
    try Running.with { (server) throws in
      #expect(try send(server, body).problem().status == 400)
      #expect(try server.post("compare", "{}", type: "application/json").problem().status == 415)
    }
  }

  @Test("as many ranges as are taken, and one more")
  func limits() throws {
    try Running.with { (server) throws in
      func question(_ count: Int) -> [UInt8] {
        RangeQuestion(
          parts: 16,
          ranges: (0..<count).map { number in
            AskedRange(
              IDRange(
                from: number == 0 ? nil : ProjectID(trusted: Self.digits(number)),
                to: ProjectID(trusted: Self.digits(number + 1))))
          }
        ).bytes
      }
      let reply = try send(server, question(RangeLimits.asked))
      let answer = try RangeAnswer(Array(reply.body), asked: RangeLimits.asked)
      #expect(answer.contents.count == RangeLimits.asked)
      #expect(try send(server, question(RangeLimits.asked + 1)).problem().status == 413)
    }
  }

  private static func digits(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }
}
