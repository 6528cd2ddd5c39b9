import SyncKit
import Testing

@Suite("RecordDecoder")
struct RecordDecoderTests {
  private let decoder = RecordDecoder()

  private func record(_ text: String, etag: String? = nil) throws -> RemoteRecord {
    try decoder.record(Array(text.utf8), etag: etag)
  }

  private func refusal(_ bytes: [UInt8]) throws -> UnreadableRecord {
    let record = try #require(
      #expect(throws: UnreadableRecord.self) { _ = try decoder.record(bytes) })
    let digest = try #require(
      #expect(throws: UnreadableRecord.self) { _ = try decoder.digest(bytes) })
    #expect(record.id == digest.id)
    return record
  }

  @Test("a whole record")
  func whole() throws {
    let record = try record(
      """
      {"id":"p1","title":"T","body":"B\\n","state":"doing","dueAt":"30.11.","createdAt":
      "2026-01-01T00:00:00Z","updatedAt":"2026-11-30T17:24:00.5Z","tags":["a", 1.10]}
      """)
    let project = record.project
    #expect(project.id.string == "p1")
    #expect(project.title == "T" && project.body == "B\n" && project.state == "doing")
    #expect(project.dueAt == "30.11.")
    #expect(project.createdAt == Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
    #expect(project.updatedAt == Timestamp(rfc3339: "2026-11-30T17:24:00.5Z"))
    #expect(project.extra.json == #"{"tags":["a", 1.10]}"#)
    #expect(record.version == Version(project.updatedAt))
    #expect(record.etag == nil)
  }

  @Test("what is missing or null is empty; the state is todo then")
  func missing() throws {
    for text in [
      #"{"id":"p","updatedAt":1}"#,
      #"{"id":"p","updatedAt":1,"title":null,"body":null,"state":null,"dueAt":null,"createdAt":null}"#,
    ] {
      let project = try record(text).project
      #expect(project.title.isEmpty && project.body.isEmpty && project.state == "todo")
      #expect(project.dueAt == nil && project.createdAt == nil && project.extra == .none)
    }
  }

  @Test("space around a record is no fault")
  func space() throws {
    #expect(try record("\n\t {\"id\":\"p\",\"updatedAt\":1}\r\n").project.id.string == "p")
    #expect(try decoder.digest(Array(" {\"id\":\"p\",\"updatedAt\":1} ".utf8)).id.string == "p")
  }

  @Test("a digest takes no notice of what it does not need")
  func digest() throws {
    let text = #"{"title":5,"body":"\ud800","updatedAt":"2026-11-30T17:24:00Z","id":"p","x":[{}]}"#
    let digest = try decoder.digest(Array(text.utf8))
    #expect(digest.id.string == "p")
    #expect(digest.updatedAt == Timestamp(rfc3339: "2026-11-30T17:24:00Z"))
  }

  @Test(
    "stamps of every kind",
    arguments: [
      #""2026-11-30T17:24:00Z""#, #""2026-11-30t17:24:00z""#, #""2026-11-30 17:24:00""#,
      #""2026-11-30T23:09:00.000000000+05:45""#, "1796059440", "1796059440000", #""1796059440""#,
      #""2026\u002d11-30T17:24:00Z""#, "1796059440.0",
    ])
  func stamps(text: String) throws {
    let record = try record(#"{"id":"p","updatedAt":\#(text)}"#)
    #expect(record.project.updatedAt == Timestamp(rfc3339: "2026-11-30T17:24:00Z"))
  }

  @Test(
    "the version is the ETag, else the revision with the stamp, else the stamp",
    arguments: [
      (#""etag":"W/\"5\"""#, #"W/"5""#, #"W/"5""#),
      (#""version":7"#, "7@1970-01-01T00:00:01.000000Z", nil),
      (#""version":"a-1""#, "a-1@1970-01-01T00:00:01.000000Z", nil),
      (#""etag":"x","version":7"#, "x", "x"), (#""etag":null"#, "1970-01-01T00:00:01.000000Z", nil),
      (#""version":null"#, "1970-01-01T00:00:01.000000Z", nil),
      (#""version":{}"#, "1970-01-01T00:00:01.000000Z", nil),
    ] as [(String, String, String?)])
  func versions(member: String, version: String, etag: String?) throws {
    let text = #"{"id":"p","updatedAt":1,\#(member)}"#
    for digest in [try record(text).digest, try decoder.digest(Array(text.utf8))] {
      #expect(digest.version.raw == version)
      #expect(digest.etag == etag)
    }
  }

  @Test("a member etag of a whole record is the user's own unless it has the form of a tag")
  func ownTag() throws {
    let whole = #"{"id":"p","title":"t","body":"b","state":"s","updatedAt":1,"etag":"draft"}"#
    let mine = try record(whole, etag: #""9""#)
    #expect(mine.version.raw == "draft@1970-01-01T00:00:01.000000Z" && mine.etag == #""9""#)
    #expect(mine.project.extra.json == #"{"etag":"draft"}"#)
    #expect(try decoder.digest(Array(whole.utf8)).version == mine.version)
    #expect(try decoder.entry(Array(whole.utf8)).digest.version == mine.version)
    let theirs = try decoder.record(Array(whole.utf8), etag: #""9""#, namesTags: true)
    #expect(theirs.version.raw == "draft" && theirs.project.extra == .none)
    var fields = RecordFields.standard
    fields.title = "/deep/title"
    let codec = try RecordCodec(fields: fields)
    let nested = #"{"id":"p","deep":{"title":"t"},"body":"b","state":"s","updatedAt":1,"etag":"x"}"#
    let own = try codec.record(Array(nested.utf8))
    #expect(own.project.extra.json == #"{"etag":"x"}"# && own.etag == nil)
    #expect(try codec.record(Array(nested.utf8), namesTags: true).project.extra == .none)
    let tagged = nested.replacing("\"x\"", with: #""\"5\"""#)
    #expect(try codec.record(Array(tagged.utf8)).etag == "\"5\"")
  }

  @Test("the response's ETag is for conditions; the record's own comes first")
  func responseTag() throws {
    let plain = try record(#"{"id":"p","updatedAt":1}"#, etag: #""9""#)
    #expect(plain.etag == #""9""#)
    #expect(plain.version.raw == "1970-01-01T00:00:01.000000Z")
    let own = try record(#"{"id":"p","updatedAt":1,"etag":"5"}"#, etag: #""9""#)
    #expect(own.etag == "5" && own.version.raw == "5")
  }

  @Test(
    "a record that cannot be taken over, which one and why",
    arguments: [
      (#"{"id":123,"updatedAt":1}"#, "123", "the id is not a string"),
      (#"{"id":1,"updatedAt":1}"#, "1", "the id is not a string"),
      (#"{"id":true,"updatedAt":1}"#, "true", "the id is not a string"),
      (#"{"id":{},"updatedAt":1}"#, "{}", "the id is not a string"),
      (#"{"id":null,"updatedAt":1}"#, "null", "the id is not a string"),
      (#"{"updatedAt":1}"#, "", "no id"),
      (#"{"id":"","updatedAt":1}"#, "", "an id cannot be empty"),
      (#"{"id":"a\u0000b","updatedAt":1}"#, "a\u{0}b", "control characters"),
      (#"{"id":"\ud800","updatedAt":1}"#, #""\ud800""#, "the id cannot be read: a lone surrogate"),
      (#"{"id":"p"}"#, "p", "no updatedAt"), (#"{"id":"p","updatedAt":null}"#, "p", "no updatedAt"),
      (#"{"id":7}"#, "7", "the id is not a string"),
      (#"{"id":12}"#, "12", "the id is not a string"),
      (#"{"id":"p","updatedAt":"yesterday"}"#, "p", "updatedAt is not a time"),
      (#"{"id":"p","updatedAt":true}"#, "p", "updatedAt is not a time"),
      (#"{"id":"p","updatedAt":"999999-01-01T00:00:00Z"}"#, "p", "updatedAt is not a time"),
      (#"{"id":"p","updatedAt":1"#, "p", "not a record"), ("[]", "", "not a record"),
      (#"{"id":"p","updatedAt":1} x"#, "p", "not a record"), ("", "", "not a record"),
      ("null", "", "not a record"), ("{\"id\":\"p\",\"title\":\"\u{0B}\"}", "p", "not a record"),
    ])
  func unreadable(text: String, id: String, reason: String) throws {
    let refusal = try refusal(Array(text.utf8))
    #expect(Array(refusal.id.utf8) == Array(id.utf8))
    #expect(refusal.reason.contains(reason), "\(refusal.reason)")
  }

  @Test(
    "a field of the wrong kind sets the whole record aside, not its digest",
    arguments: [
      (#""title":5"#, "title is not a string"), (#""body":{}"#, "body is not a string"),
      (#""state":[]"#, "state is not a string"), (#""dueAt":1796059440"#, "dueAt is not a string"),
      (#""createdAt":"soon""#, "createdAt is not a time"),
      (#""title":"\ud800""#, "title holds a lone surrogate"),
    ])
  func wrongKind(member: String, reason: String) throws {
    let bytes = Array(#"{"id":"p","updatedAt":1,\#(member)}"#.utf8)
    let refusal = try #require(
      #expect(throws: UnreadableRecord.self) { _ = try decoder.record(bytes) })
    #expect(refusal.id == "p")
    #expect(refusal.reason.contains(reason), "\(refusal.reason)")
    #expect(try decoder.digest(bytes).id.string == "p")
  }

  @Test("an id of 4 kB is set aside, its name cut to 255 bytes")
  func longID() throws {
    let long = String(repeating: "x", count: 4096)
    let refusal = try refusal(Array("{\"id\":\"\(long)\",\"updatedAt\":1}".utf8))
    #expect(refusal.id == String(repeating: "x", count: 255))
    #expect(refusal.reason.contains("255 bytes"))
  }

  @Test("bytes that are not UTF-8 set the record aside")
  func invalidUTF8() throws {
    var bytes = Array(#"{"id":"p","updatedAt":1,"x":"_"}"#.utf8)
    bytes[bytes.count - 3] = 0xFF
    #expect(try refusal(bytes).id == "p")
  }

  @Test("a record nested too deep is set aside")
  func depth() throws {
    let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
    #expect(try refusal(Array("{\"id\":\"p\",\"updatedAt\":1,\"x\":\(deep)}".utf8)).id == "p")
  }

  @Test("a text with U+0000 is carried")
  func nul() throws {
    #expect(try record(#"{"id":"p","updatedAt":1,"title":"a\u0000b"}"#).project.title == "a\u{0}b")
  }

  @Test("the remote's own names for the fields")
  func names() throws {
    var fields = RecordFields()
    fields.id = "_id"
    fields.updatedAt = "last_modified"
    fields.title = "näme"
    let text = #"{"_id":"p","last_modified":1,"n\u00e4me":"T","title":"x","id":7}"#
    let project = try RecordDecoder(fields: fields).record(Array(text.utf8)).project
    #expect(project.id.string == "p" && project.title == "T")
    #expect(project.extra.json == #"{"title":"x","id":7}"#)
  }
}
