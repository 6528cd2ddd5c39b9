import SyncKit
import Testing

@Suite("Server-sent events as they come")
struct EventStreamParserTests {
  typealias Event = EventStreamParser.Event

  /// The events of a text that comes in chunks of this size.
  private func events(
    _ bytes: [UInt8], chunk: Int, limit: Int = 1000
  ) throws -> (events: [Event], lastID: String) {
    var parser = EventStreamParser(limit: limit)
    var events: [Event] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      try parser.consume(Array(bytes[start..<min(start + chunk, bytes.count)])) {
        events.append($0)
      }
    }
    return (events, parser.lastID)
  }

  private static let samples: [(text: String, events: [Event], lastID: String)] = [
    ("data: a\n\n", [Event(data: "a")], ""),
    ("\u{FEFF}data: a\n\n", [Event(data: "a")], ""),
    ("data: \u{FEFF}a\n\n", [Event(data: "\u{FEFF}a")], ""),
    ("\n\n\u{FEFF}data: a\n\n", [], ""),
    ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", ["a", "b", "c"].map { Event(data: $0) }, ""),
    ("data: a\r\n\ndata: b\n\r\n", [Event(data: "a"), Event(data: "b")], ""),
    ("data:a\ndata:  b\ndata\ndata:\n\n", [Event(data: "a\n b\n\n")], ""),
    (": hello\n:\n\nevent: e\n: x\ndata: a\n\n", [Event(name: "e", data: "a")], ""),
    ("event: e\n\ndata: a\n\n", [Event(data: "a")], ""),
    (
      "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
      [Event(data: "a", id: "7"), Event(data: "b", id: "7"), Event(data: "c")], ""
    ),
    ("id: 7\n\n", [], "7"),
    ("id: 7\u{0}\ndata: a\n\n", [Event(data: "a")], ""),
    ("id: 8\ndata: not whole\n", [], ""),
    ("retry: 5\nfoo: bar\ndata: a: b\nDATA: c\n\n", [Event(data: "a: b")], ""),
    (
      "event: changed\ndata: {\"é\":\"🗓\"}\n\n", [Event(name: "changed", data: "{\"é\":\"🗓\"}")], ""
    ),
  ]

  @Test("a text gives the same events wherever it is cut", arguments: 1...9)
  func chunks(size: Int) throws {
    for sample in Self.samples {
      let read = try events(Array(sample.text.utf8), chunk: size)
      #expect(read.events == sample.events, "\(sample.text.debugDescription)")
      #expect(read.lastID == sample.lastID, "\(sample.text.debugDescription)")
    }
  }

  @Test("a lone CR ends a line at once, and a LF that comes later is part of it")
  func carriageReturns() throws {
    var parser = EventStreamParser()
    var events: [Event] = []
    try parser.consume(Array("data: a\r\r".utf8)) { events.append($0) }
    #expect(events.count == 1)
    try parser.consume(Array("\ndata: b\r".utf8)) { events.append($0) }
    try parser.consume(Array("\n\r\n".utf8)) { events.append($0) }
    #expect(events == [Event(data: "a"), Event(data: "b")])
  }

  @Test("bytes that are not UTF-8 do no harm")
  func notText() throws {
    let read = try events(Array("data: ".utf8) + [0xFF, 0xC3, 0x0A, 0x0A], chunk: 3)
    #expect(read.events.map(\.data) == ["\u{FFFD}\u{FFFD}"])
  }

  @Test(
    "a line or an event without end is given up, whatever it is",
    arguments: ["data: ", ": ", "", "id: ", "data: x\ndata: "])
  func bounded(_ beginning: String) {
    let text = beginning + String(repeating: "x", count: 200)
    #expect(throws: EventStreamParser.TooLong(limit: 100)) {
      _ = try events(Array(text.utf8), chunk: 7, limit: 100)
    }
    let lines = String(repeating: "data: xxxxxxxxx\n", count: 20)
    #expect(throws: EventStreamParser.TooLong(limit: 100)) {
      _ = try events(Array(lines.utf8), chunk: 7, limit: 100)
    }
  }

  @Test("data lines without contents are bounded too")
  func emptyLines() {
    #expect(throws: EventStreamParser.TooLong(limit: 100)) {
      _ = try events(Array(String(repeating: "data\n", count: 200).utf8), chunk: 7, limit: 100)
    }
  }
}
