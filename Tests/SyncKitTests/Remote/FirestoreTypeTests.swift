import TestSupport
import Testing

@testable import SyncKit

/// Typed values: what is taken over comes back letter for letter, and what would not is refused.
@Suite("The types of Firestore")
struct FirestoreTypeTests {
  private func plain(_ type: FirestoreType, _ typed: String) throws -> String {
    String(decoding: try type.plain(Array(typed.utf8)), as: UTF8.self)
  }

  private func typed(_ type: FirestoreType, _ plain: String) -> String {
    var bytes: [UInt8] = []
    type.append(Array(plain.utf8), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "a value of a field's own type goes round in its very letters",
    arguments: [
      (FirestoreType.text, #"{"stringValue":"a \"quoted\" \\ \u000b 🗓"}"#),
      (.text, #"{"stringValue":""}"#), (.text, #"{"stringValue":"2026-12-24T18:00:00Z"}"#),
      (.text, #"{"nullValue":null}"#), (.date, #"{"nullValue":null}"#),
      (.number, #"{"integerValue":"-9223372036854775808"}"#),
      (.number, #"{"integerValue":"9007199254740993"}"#),
      (.moment, #"{"timestampValue":"2026-12-24T18:00:00.123456Z"}"#),
      (.moment, #"{"timestampValue":"0001-01-01T00:00:00Z"}"#),
      (.date, #"{"timestampValue":"2026-12-24T18:00:00Z"}"#),
      (.date, #"{"timestampValue":"2026-12-24T18:00:00.100Z"}"#),
      (.date, #"{"timestampValue":"2026-12-24T18:00:00.000001Z"}"#),
      (.date, #"{"timestampValue":"9999-12-31T23:59:59.999999Z"}"#),
      (.date, #"{"stringValue":"2026-12-24"}"#), (.date, #"{"stringValue":"next week"}"#),
      (.date, #"{"stringValue":"2026-12-24T18:00:00+01:00"}"#),
      (.date, #"{"stringValue":"2026-12-24T18:00:00.1Z"}"#),
      (.date, #"{"stringValue":"2026-12-24T18:00:00.100000Z"}"#),
      (.date, #"{"stringValue":"2026-12-24T18:00:00.123456789Z"}"#),
      (.date, #"{"stringValue":"2026-12-31T23:59:60Z"}"#),
      (.date, #"{"stringValue":"0000-12-31T23:59:59Z"}"#),
      (.date, #"{"stringValue":"10000-01-01T00:00:00Z"}"#),
    ])
  func round(_ type: FirestoreType, _ value: String) throws {
    #expect(typed(type, try plain(type, value)) == value)
  }

  @Test(
    "what would be written back in another way is refused",
    arguments: [
      (FirestoreType.text, #"{"timestampValue":"2026-12-24T18:00:00Z"}"#),
      (.text, #"{"integerValue":"7"}"#), (.text, #"{"doubleValue":1.5}"#),
      (.text, #"{"booleanValue":true}"#), (.text, #"{"bytesValue":"aGVsbG8="}"#),
      (.text, #"{"referenceValue":"projects/p/databases/d/documents/todos/a"}"#),
      (.text, #"{"geoPointValue":{"latitude":52.5,"longitude":13.4}}"#),
      (.text, #"{"arrayValue":{"values":[{"stringValue":"a"}]}}"#),
      (.text, #"{"mapValue":{"fields":{"a":{"stringValue":"a"}}}}"#),
      (.text, "{}"), (.text, #"{"stringValue":"a","integerValue":"1"}"#), (.text, "7"),
      (.moment, #"{"stringValue":"2026-12-24T18:00:00Z"}"#),
      (.moment, #"{"integerValue":"1800000000"}"#),
      (.moment, #"{"timestampValue":"2026-12-24T18:00:00.123456789Z"}"#),
      (.number, #"{"doubleValue":1800000000.5}"#), (.number, #"{"doubleValue":1800000000}"#),
      (.number, #"{"integerValue":"9223372036854775808"}"#),
      (.number, #"{"timestampValue":"2026-12-24T18:00:00Z"}"#),
      (.date, #"{"stringValue":"2026-12-24T18:00:00Z"}"#),
      (.date, #"{"timestampValue":"2026-12-24T18:00:00.123456789Z"}"#),
      (.date, #"{"timestampValue":"2026-12-24T19:00:00+01:00"}"#),
      (.date, #"{"integerValue":"1800000000"}"#), (.date, #"{"mapValue":{}}"#),
    ])
  func refused(_ type: FirestoreType, _ value: String) {
    #expect(throws: UnholdableRecord.self) { try plain(type, value) }
  }

  @Test("a moment is written in as few digits as will do, and every such text is a timestamp")
  func moments() {
    var random = SeededGenerator(seed: 20_261_201)
    for _ in 0..<2000 {
      let unit: Int64 = [1, 1000, 1_000_000].randomElement(using: &random) ?? 1
      let whole = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
      let stamp = Timestamp(
        microseconds: whole * 1_000_000 + Int64.random(in: 0..<1_000_000, using: &random) / unit
          * unit)
      let text = FirestoreType.written(stamp)
      #expect(Timestamp(rfc3339: text) == stamp && FirestoreType.isWritten(text), "\(text)")
      #expect([20, 24, 27].contains(text.utf8.count), "\(text)")
    }
    #expect(!FirestoreType.holds(Timestamp(microseconds: 253_402_300_800_000_000)))
    #expect(!FirestoreType.holds(Timestamp(microseconds: -62_135_596_800_000_001)))
  }

  @Test("a field's name is quoted in a path unless it is plain")
  func paths() {
    #expect(FirestoreDialect.path(of: "updatedAt") == "updatedAt")
    #expect(FirestoreDialect.path(of: "_a1") == "_a1")
    #expect(FirestoreDialect.path(of: "1a") == "`1a`")
    #expect(FirestoreDialect.path(of: "due date") == "`due date`")
    #expect(FirestoreDialect.path(of: "a.b`c\\") == "`a.b\\`c\\\\`")
  }

  @Test("a collection's URL gives its operations and the names of its documents")
  func collections() throws {
    let here = "/v1/projects/p/databases/(default)/documents"
    let todos = try #require(FirestoreCollection(path: here + "/todos"))
    #expect(todos.root == here && todos.parent == here && todos.name == "todos")
    #expect(todos.document("a") == "projects/p/databases/(default)/documents/todos/a")
    #expect(todos.id(of: todos.document("\u{301}x")) == "\u{301}x")
    #expect(todos.id(of: "projects/p/databases/(default)/documents/others/a") == nil)
    let nested = try #require(
      FirestoreCollection(
        path: "/v1/projects/p/databases/%28default%29/documents/users/%C3%A9/todos"))
    #expect(nested.parent == "/v1/projects/p/databases/%28default%29/documents/users/%C3%A9")
    #expect(
      nested.document("a") == "projects/p/databases/(default)/documents/users/\u{E9}/todos/a")
    for path in [here, here + "/todos/a", "/v1/projects", "/v2/" + here.dropFirst(4) + "/todos"] {
      #expect(FirestoreCollection(path: path) == nil, "\(path)")
    }
  }
}
