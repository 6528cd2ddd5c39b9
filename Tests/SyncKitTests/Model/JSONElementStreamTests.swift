import SyncKit
import TestSupport
import Testing

@Suite("JSONElementStream: a listing while it arrives")
struct JSONElementStreamTests {
  private struct Parsed: Equatable {
    var elements: [String] = []
    var envelope = ""
  }

  /// Reads the chunks to the end.
  private func parse(
    _ chunks: [[UInt8]], path: [String] = [], limits: JSONElementStream.Limits = .init()
  ) throws -> Parsed {
    var stream = JSONElementStream(path: path, limits: limits)
    var parsed = Parsed()
    for chunk in chunks {
      try stream.consume(chunk) { parsed.elements.append(String(decoding: $0, as: UTF8.self)) }
    }
    parsed.envelope = String(decoding: try stream.finish(), as: UTF8.self)
    #expect(stream.count == parsed.elements.count)
    return parsed
  }

  private func parse(_ text: String, path: [String] = []) throws -> Parsed {
    try parse([Array(text.utf8)], path: path)
  }

  private static let listing =
    #" {"total": 7, "data" : {"x":[9], "items": [ {"id":"a","t":"\"]}\\"} ,1.5e3, "s,]" ,[],[[1],{}],"#
    + #"null,-0 ] , "next":"[{\"" }, "items":[5] } "#

  private static let elements = [
    #"{"id":"a","t":"\"]}\\"}"#, "1.5e3", #""s,]""#, "[]", "[[1],{}]", "null", "-0",
  ]

  private static let envelope =
    #" {"total": 7, "data" : {"x":[9], "items": [] , "next":"[{\"" }, "items":[5] } "#

  @Test("elements and envelope of a listing inside an object")
  func inside() throws {
    let parsed = try parse(Self.listing, path: ["data", "items"])
    #expect(parsed.elements == Self.elements)
    #expect(parsed.envelope == Self.envelope)
  }

  @Test("any chunking gives the same")
  func chunking() throws {
    let bytes = Array(Self.listing.utf8)
    let whole = try parse([bytes], path: ["data", "items"])
    for cut in 0...bytes.count {
      let parsed = try parse(
        [Array(bytes[..<cut]), Array(bytes[cut...])], path: ["data", "items"])
      #expect(parsed == whole, "cut at \(cut)")
    }
    for seed in UInt64(1)...50 {
      var random = SeededGenerator(seed: seed)
      var chunks: [[UInt8]] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let size = Int.random(in: 0...9, using: &random)
        chunks.append(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(try parse(chunks, path: ["data", "items"]) == whole, "seed \(seed)")
    }
  }

  @Test("a listing cut at any byte is an error, never a shorter listing")
  func cuts() {
    let inside = Array(Self.listing.drop { $0 == " " }.utf8.dropLast())
    let plain = Array(#"[{"id":"a"},{"id":"b"}, 12, "x"]"#.utf8)
    for (text, path) in [(inside, ["data", "items"]), (plain, [])] {
      for end in 0..<text.count {
        #expect(throws: JSONError.self, "cut at \(end)") {
          try parse([Array(text[..<end])], path: path)
        }
      }
    }
  }

  @Test(
    "a plain array",
    arguments: [
      ("[]", []), (" [ ] \n", []), ("[1]", ["1"]), ("[ 1 , 2 ]", ["1", "2"]),
      (#"[{"a":[1,2]},"]"]"#, [#"{"a":[1,2]}"#, #""]""#]),
    ])
  func plain(text: String, elements: [String]) throws {
    #expect(try parse(text).elements == elements)
  }

  @Test(
    "what is not a plain array",
    arguments: [
      "", " ", "null", "{}", #"{"data":[]}"#, "<html>[]</html>", "1", #""[]""#, "[1]]", "[] []",
      "[1],[2]", "[1] x", "[] null", "[1]}", "]", "[1}", "[,]", "[1,]", "[,1]", "[1,,2]", "[1 2]",
      #"["a""b"]"#, "[{} {}]", "[}", "[1", "\u{FEFF}[]",
    ])
  func notPlain(text: String) {
    #expect(throws: JSONError.self) { try parse(text) }
  }

  @Test(
    "no array at the path",
    arguments: [
      "[]", "{}", "null", #"{"items":null}"#, #"{"items":{}}"#, #"{"items":"[]"}"#,
      #"{"a":{"items":[]}}"#, #"{"a":[{"items":[]}]}"#, #"{"a":"items","b":[]}"#,
      #"{"items":[]"#, #"{"items":[]}}"#, #"{"items":[]} x"#, #"{"items" []}"#, #"{"items":[],}"#,
      #"{"items":1,[]}"#, #"{"Items":[]}"#, "{\"items\":[]\u{0B}}",
    ])
  func notAtPath(text: String) {
    #expect(throws: JSONError.self) { try parse(text, path: ["items"]) }
  }

  @Test("a list that is named twice is no listing: one of the two would be lost")
  func twice() {
    #expect(throws: JSONError.self) {
      try parse(#"{"items":[1],"items":[2]}"#, path: ["items"])
    }
  }

  @Test(
    "the path's names are compared as bytes, escapes resolved",
    arguments: [
      (#"{"\u0069tems":[1]}"#, ["items"]), (#"{"e":{"é":[1]}}"#, ["e", "é"]),
      (#"{"x":[1,{"items":[2]}],"items":[1]}"#, ["items"]), (#"{"":[1]}"#, [""]),
      (#"{"a":{"b":{"c":[1]}}}"#, ["a", "b", "c"]),
    ])
  func pathNames(text: String, path: [String]) throws {
    #expect(try parse(text, path: path).elements == ["1"])
  }

  @Test("deep nesting is an error, however it is chunked", arguments: [1, 7, 1000, 1_000_000])
  func depth(chunkSize: Int) {
    let closed =
      String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    for text in [closed, String(repeating: "[", count: 100_000), "[{\"a\":" + closed + "}]"] {
      let bytes = Array(text.utf8)
      let chunks = stride(from: 0, to: bytes.count, by: chunkSize).map {
        Array(bytes[$0..<min(bytes.count, $0 + chunkSize)])
      }
      #expect(throws: JSONError.self) { try parse(chunks) }
      #expect(throws: JSONError.self) { try parse(chunks, path: ["items"]) }
    }
  }

  @Test("an element over the limit is an error before it is complete")
  func elementLimit() throws {
    var limits = JSONElementStream.Limits()
    limits.element = 10
    #expect(try parse([Array(#"["12345678"]"#.utf8)], limits: limits).elements.count == 1)
    #expect(throws: JSONError.self) {
      try parse([Array(#"["123456789"]"#.utf8)], limits: limits)
    }
    var stream = JSONElementStream(limits: limits)
    try stream.consume(Array(#"["1234"#.utf8)) { _ in }
    #expect(throws: JSONError.self) {
      for _ in 0..<10 { try stream.consume(Array("x".utf8)) { _ in } }
    }
  }

  @Test("an envelope over the limit is an error")
  func envelopeLimit() throws {
    var limits = JSONElementStream.Limits()
    limits.envelope = 20
    let long = String(repeating: "x", count: 30)
    let small = try parse([Array(#"{"a":[1,2,3]}"#.utf8)], path: ["a"], limits: limits)
    #expect(small.elements.count == 3)
    for text in ["{\"b\":\"\(long)\",\"a\":[]}", "{\"a\":[],\"b\":\"\(long)\"}"] {
      #expect(throws: JSONError.self) { try parse([Array(text.utf8)], path: ["a"], limits: limits) }
    }
  }

  @Test("what the caller throws ends it")
  func callerThrows() {
    struct Enough: Error {}
    var stream = JSONElementStream()
    #expect(throws: Enough.self) { try stream.consume(Array("[1,2]".utf8)) { _ in throw Enough() } }
  }

  @Test("an error says where in the whole text")
  func offsets() throws {
    var stream = JSONElementStream()
    try stream.consume(Array("[1,2 ".utf8)) { _ in }
    let error = try #require(
      #expect(throws: JSONError.self) { try stream.consume(Array("3]".utf8)) { _ in } })
    #expect(error.offset == 5)
  }
}
