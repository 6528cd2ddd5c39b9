import SyncKit
import Testing

@Suite("JSONScanner: RFC 8259, strictly")
struct JSONScannerTests {
  private func scan(_ text: String) throws -> Range<Int> {
    var scanner = JSONScanner(Array(text.utf8))
    return try scanner.scanDocument()
  }

  @Test(
    "what is JSON",
    arguments: [
      "0", "-0", "10", "-1.5", "1e5", "1E+5", "1.25e-10", "0.0", "12345678901234567890123456789",
      "true", "false", "null", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u00e9\uD83D\uDCC5""#,
      "[]", "[ ]", "[1,2]", "{}", "{ }", #"{"a":1}"#, #"{"":{"":[null]}}"#, #"{"a":1,"a":2}"#,
      " \n\r\t[ 1 , 2 ]\n", #""프로젝트🗓""#, "\"\u{7F}\"",
    ])
  func accepts(text: String) throws {
    let trimmed = text.drop { " \n\r\t".contains($0) }
    #expect(try scan(text).lowerBound == text.utf8.count - trimmed.utf8.count)
  }

  @Test(
    "what is not",
    arguments: [
      "", " ", "01", "-", "-01", "1.", ".5", "+1", "1e", "1e+", "0x10", "1_000", "NaN", "Infinity",
      "-Infinity", "tru", "True", "nulll", "'a'", "a", #"""#, #""a"#, #""\"#, #""\x""#, #""\u12"#,
      #""\u12G4""#, #""\U0041""#, "\"\\\n\"", "\"a\nb\"", "\"\u{0B}\"", "\"\u{0}\"", "[", "]", "[1",
      "[1,]", "[,1]", "[1 2]", "[1]]", "[1}", "{", "}", "{a:1}", #"{"a"}"#, #"{"a":}"#,
      #"{"a":1,}"#,
      #"{"a" 1}"#, #"{1:1}"#, #"{"a":1]"#, "1 2", "[] []", "{} x", "// c\n1", "1 // c", "\u{FEFF}1",
      "\u{A0}1", "\u{0C}1",
    ])
  func refuses(text: String) {
    #expect(throws: JSONError.self) { try scan(text) }
  }

  @Test(
    "a value that is no text is an error where text is read, whatever its length",
    arguments: ["5", "12", "0.5", "true", "null", "[]", "{}", #"["a"]"#, #"{"a":"b"}"#])
  func noText(text: String) throws {
    let scanner = JSONScanner(Array(text.utf8))
    let range = try scan(text)
    #expect(throws: JSONError.self) { try scanner.string(at: range) }
    #expect(!scanner.string(at: range, equals: ""))
  }

  @Test("the kinds of values")
  func kinds() throws {
    let expected: [(String, JSONScanner.Kind)] = [
      ("{}", .object), ("[]", .array), (#""a""#, .string), ("-1", .number), ("true", .boolean),
      ("false", .boolean), ("null", .null),
    ]
    for (text, kind) in expected {
      #expect(JSONScanner(Array(text.utf8)).kind(of: try scan(text)) == kind)
    }
  }

  @Test("members and elements come in their order, numbers with their digits")
  func members() throws {
    let reader = JSONScanner(Array(#" {"b": 1.10, "a" : [1e2], "b":"x"} "#.utf8))
    var scanner = reader
    var members: [String] = []
    try scanner.scanObject { (key, value) throws(JSONError) in
      members.append(try reader.string(at: key) + "=" + reader.text(at: value))
    }
    #expect(members == ["b=1.10", "a=[1e2]", #"b="x""#])

    let list = JSONScanner(Array(" [1.0, {} ,\"x\"]\n".utf8))
    scanner = list
    var elements: [String] = []
    try scanner.scanArray { (value) throws(JSONError) in elements.append(list.text(at: value)) }
    #expect(elements == ["1.0", "{}", #""x""#])
  }

  @Test("an object is not an array, nor the other way round")
  func wrongContainer() {
    for text in ["[]", "1", #""{}""#, ""] {
      var scanner = JSONScanner(Array(text.utf8))
      #expect(throws: JSONError.self) { try scanner.scanObject { (_, _) throws(JSONError) in } }
    }
    for text in ["{}", "1", #""[]""#, ""] {
      var scanner = JSONScanner(Array(text.utf8))
      #expect(throws: JSONError.self) { try scanner.scanArray { (_) throws(JSONError) in } }
    }
  }

  @Test("nesting as deep as the limit is read, deeper is refused, 100,000 deep too")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try scan(nested(JSONScanner.maximumDepth))
    for depth in [JSONScanner.maximumDepth + 2, 100_000] {
      #expect(throws: JSONError.self) { try scan(nested(depth)) }
      #expect(throws: JSONError.self) { try scan(String(repeating: "[", count: depth)) }
      #expect(throws: JSONError.self) {
        try scan(String(repeating: #"{"a":"#, count: depth))
      }
    }
  }

  @Test(
    "escapes become what they stand for",
    arguments: [
      (#""\"\\\/""#, "\"\\/"), (#""\b\f\n\r\t""#, "\u{8}\u{C}\n\r\t"), (#""\u0041""#, "A"),
      (#""\u00e9""#, "\u{E9}"), (#""e\u0301""#, "e\u{301}"), (#""\u0000""#, "\u{0}"),
      (#""\uD83D\uDDD3""#, "🗓"), (#""\ud83d\uddd3x""#, "🗓x"), (#""\uFFFF""#, "\u{FFFF}"),
      (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""plain 프""#, "plain 프"), (#""""#, ""),
    ])
  func escapes(text: String, value: String) throws {
    let string = try JSONScanner(Array(text.utf8)).string(at: 0..<text.utf8.count)
    #expect(Array(string.utf8) == Array(value.utf8))
  }

  @Test(
    "a lone surrogate has no text, though it is JSON",
    arguments: [
      #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#,
      #""\udc00\ud800""#, #""\ud800\u0041""#, #""x\udbff""#,
    ])
  func surrogates(text: String) throws {
    #expect(try scan(text) == 0..<text.utf8.count)
    #expect(throws: JSONError.self) {
      try JSONScanner(Array(text.utf8)).string(at: 0..<text.utf8.count)
    }
  }

  @Test(
    "bytes that are not UTF-8 have no text",
    arguments: [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]])
  func invalidUTF8(bytes: [UInt8]) {
    for suffix in [[], Array(#"\n"#.utf8)] {
      let text = [0x22] + bytes + suffix + [0x22]
      #expect(throws: JSONError.self) {
        try JSONScanner(text).string(at: 0..<text.count)
      }
    }
  }

  @Test("names are compared as bytes, escapes resolved")
  func names() {
    func equals(_ text: String, _ name: String) -> Bool {
      JSONScanner(Array(text.utf8)).string(at: 0..<text.utf8.count, equals: name)
    }
    #expect(equals(#""id""#, "id"))
    #expect(equals(#""\u0069d""#, "id"))
    #expect(!equals(#""ID""#, "id"))
    #expect(!equals(#""idx""#, "id"))
    #expect(!equals(#""\ud800""#, "id"))
    #expect(!equals("\"e\u{301}\"", "\u{E9}"))
    #expect(equals(#""""#, ""))
  }

  @Test("an error says where")
  func offsets() throws {
    let error = try #require(
      #expect(throws: JSONError.self) { try scan(#"{"a": tru}"#) })
    #expect(error.offset == 6)
    #expect(error.description == "not a value at byte 6")
  }

  @Test("whatever is cut off, the rest is not JSON")
  func cuts() {
    let text = Array(#"{"a":[1.5e3,"\u00e9",{"b":null}],"c":true}"#.utf8)
    for end in 0..<text.count {
      var scanner = JSONScanner(Array(text[..<end]))
      #expect(throws: JSONError.self) { _ = try scanner.scanDocument() }
    }
  }
}

@Suite("JSONWriter")
struct JSONWriterTests {
  @Test("what is written is read back byte for byte")
  func roundTrip() throws {
    var scalars = (0..<0x300).compactMap { Unicode.Scalar(UInt32($0)) }
    scalars += ["\u{2028}", "\u{FEFF}", "\u{FFFD}", "🗓", "\u{10FFFF}"]
    let text = String(String.UnicodeScalarView(scalars))
    var bytes: [UInt8] = []
    bytes.append(jsonString: text)
    var scanner = JSONScanner(bytes)
    let range = try scanner.scanDocument()
    #expect(Array(try scanner.string(at: range).utf8) == Array(text.utf8))
  }

  @Test(
    "only what must be escaped is",
    arguments: [
      ("a/é", #""a/é""#), ("\"\\", #""\"\\""#), ("\n\t\r\u{8}\u{C}", #""\n\t\r\b\f""#),
      ("\u{0}\u{1F}", #""\u0000\u001f""#), ("\u{7F}", "\"\u{7F}\""), ("", #""""#),
    ])
  func escapes(text: String, json: String) {
    var bytes: [UInt8] = []
    bytes.append(jsonString: text)
    #expect(String(decoding: bytes, as: UTF8.self) == json)
  }

  @Test("members")
  func members() {
    var bytes = Array("{".utf8)
    bytes.appendMember("a", string: "x", first: true)
    bytes.appendMember("b", string: nil)
    bytes.appendMember("c", raw: "1.10")
    bytes.append(json: "}")
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":"x","b":null,"c":1.10}"#)
  }
}
