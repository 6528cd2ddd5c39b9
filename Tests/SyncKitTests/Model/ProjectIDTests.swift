import SyncKit
import Testing

@Suite("ProjectID")
struct ProjectIDTests {
  @Test(
    "any text of 1 to 255 bytes without control characters",
    arguments: [
      "a/b", ".", "..", "%2e%2e", "a?b", "a#b", "a;b", "a%2Fb", "a%252Fb", "a b", " a", "a ", "a+b",
      "a@b", "a:b", "a&b=c", "\u{E9}", "e\u{301}", "ABC", "abc", "프로젝트", "🗓", "_id", "'", "\"",
      "\\",
      "<b>", "~", "\u{2028}", "\u{FEFF}", "\u{10FFFF}", String(repeating: "x", count: 255),
      String(repeating: "é", count: 127),
    ])
  func accepts(text: String) throws {
    let id = try ProjectID(text)
    #expect(Array(id.string.utf8) == Array(text.utf8))
    #expect(Array(id.description.utf8) == Array(text.utf8))
  }

  @Test(
    "what cannot be an id, and why",
    arguments: [
      ("", InvalidProjectID.Reason.empty),
      (String(repeating: "x", count: 256), .tooLong(bytes: 256)),
      (String(repeating: "é", count: 128), .tooLong(bytes: 256)),
      (String(repeating: "x", count: 4096), .tooLong(bytes: 4096)),
      ("a\u{0}", .controlCharacter(scalar: 0)), ("\n", .controlCharacter(scalar: 10)),
      ("a\tb", .controlCharacter(scalar: 9)), ("\u{7F}", .controlCharacter(scalar: 0x7F)),
      ("x\u{9F}", .controlCharacter(scalar: 0x9F)), ("\u{0B}", .controlCharacter(scalar: 0x0B)),
    ])
  func refuses(text: String, reason: InvalidProjectID.Reason) throws {
    let error = try #require(
      #expect(throws: InvalidProjectID.self) { try ProjectID(text) })
    #expect(error.reason == reason)
    #expect(!error.description.isEmpty)
  }

  @Test("a refusal names the character")
  func message() {
    let error = InvalidProjectID.self
    do {
      _ = try ProjectID("a\u{1B}")
      Issue.record("\(error) expected")
    } catch {
      #expect(error.description == "an id cannot hold control characters; this one holds U+001B")
    }
  }

  @Test("two spellings of one character are two ids, and so are two cases")
  func identity() throws {
    let composed = try ProjectID("\u{E9}")
    let decomposed = try ProjectID("e\u{301}")
    #expect(composed.string == decomposed.string)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(try ProjectID("ABC") != ProjectID("abc"))
    #expect(try ProjectID("a") == ProjectID("a"))
    #expect(try Set([ProjectID("a"), ProjectID("a")]).count == 1)
  }

  @Test("byte order, as SQLite's BINARY collation has it")
  func order() throws {
    let ordered = [
      " a", "-", ".", "0", "00", "A", "B", "a", "a b", "a/b", "aa", "e", "e\u{301}", "\u{E9}", "프",
      "🗓",
    ]
    let ids = try ordered.map { try ProjectID($0) }
    #expect(ids.shuffled().sorted() == ids)
    for (one, other) in zip(ids, ids.dropFirst()) {
      #expect(one < other && !(other < one))
    }
  }
}

@Suite("Version: one entity, however it is spelled")
struct VersionTests {
  @Test(
    "the same entity",
    arguments: [
      (#""5""#, #""5""#), (#"W/"5""#, #""5""#), (#"w/"5""#, #"W/"5""#), ("5", #""5""#),
      (#""5-gzip""#, #""5""#), (#""5-br""#, #""5""#), (#"W/"5-gzip""#, "5"),
      (#""5;gzip""#, #""5""#),
      (#""5--gzip""#, #""5""#), ("", ""), (#""""#, ""),
    ])
  func same(one: String, other: String) {
    #expect(Version(one) == Version(other))
    #expect(Version(one).hashValue == Version(other).hashValue)
    #expect(Version(one).raw == one)
  }

  @Test(
    "different entities",
    arguments: [
      (#""5""#, #""6""#), (#""5""#, #""55""#), (#""W/5""#, #""5""#), ("a", "A"), (#"""#, ""),
      ("\u{E9}", "e\u{301}"), (#""5-zip""#, #""5""#), (#""-5""#, #""5""#), ("1-a", "2-a"),
    ])
  func different(one: String, other: String) {
    #expect(Version(one) != Version(other))
  }

  @Test("a stamp as a version is the stamp's text")
  func stamp() {
    #expect(Version(Timestamp(microseconds: 0)).raw == "1970-01-01T00:00:00.000000Z")
  }
}
