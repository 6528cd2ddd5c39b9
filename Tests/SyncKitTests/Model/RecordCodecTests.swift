import Testing

@testable import SyncCore
@testable import SyncKit

/// Records in the names and shapes of a remote.
@Suite("Records in other shapes")
struct RecordCodecTests {
  private static let nested: RecordFields = {
    var fields = RecordFields()
    (fields.id, fields.title, fields.body) = ("key", "/fields/title", "/fields/text/body")
    (fields.updatedAt, fields.version) = ("/meta/modified", "/meta/rev")
    fields.states = ["todo": "TODO", "doing": "DOING", "done": "DONE"]
    fields.updatedAtForm = .milliseconds
    fields.createdAtForm = .microseconds
    return fields
  }()

  private func project(extra: String = "", state: String = "doing") -> Project {
    var project = Project(
      id: ProjectID(trusted: "a"), title: "T", body: "B", state: state, dueAt: "2026-12-01",
      createdAt: Timestamp(microseconds: 1_800_000_000_123_456),
      updatedAt: Timestamp(microseconds: 1_800_000_000_123_000))
    project.extra = ExtraMembers(trusted: extra)
    return project
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("fields are where JSON pointers say, in the remote's words")
  func places() throws {
    let codec = try RecordCodec(fields: Self.nested)
    let project = project(extra: #"{"fields":{"x":1.10},"y":[1]}"#)
    let bytes = try codec.encode(project)
    #expect(
      text(bytes)
        == #"{"key":"a","fields":{"title":"T","text":{"body":"B"},"x":1.10},"#
        + #""state":"DOING","dueAt":"2026-12-01","createdAt":1800000000123456,"#
        + #""meta":{"modified":1800000000123},"y":[1]}"#)
    let record = try codec.record(bytes)
    #expect(record.project == project)
  }

  @Test("other members stay where they are, or go into a column or a string of their own")
  func extras() throws {
    let extra = #"{"n":12345678901234567890,"deep":{"a":[[]]},"e":1.10}"#
    for place in [
      RecordFields.ExtraPlace.members, .object("extra"), .object("/a/b"), .text("extra"),
      .text("/a/b"),
    ] {
      var fields = RecordFields()
      fields.extra = place
      fields.title = "/a/title"
      let codec = try RecordCodec(fields: fields)
      for json in [extra, ""] {
        let record = try codec.record(try codec.encode(project(extra: json)))
        #expect(record.project.extra.json == json, "\(place)")
      }
    }
  }

  @Test("the server's own members are not the record's, and no record may have them")
  func owned() throws {
    let codec = try RecordCodec(owned: ["last_modified"], ownedPrefix: "_")
    let json = #"{"id":"a","updatedAt":"2026-01-01T00:00:00Z","last_modified":5,"_rev":"1","x":1}"#
    let (record, owned) = try codec.whole(Array(json.utf8))
    #expect(record.project.extra.json == #"{"x":1}"#)
    #expect(owned.mapValues(text) == ["last_modified": "5", "_rev": "\"1\""])
    for extra in [#"{"last_modified":1}"#, #"{"_x":1}"#] {
      #expect(throws: UnholdableRecord.self) { try codec.encode(project(extra: extra)) }
    }
  }

  @Test("what would not come back as it is cannot be held")
  func unholdable() throws {
    let codec = try RecordCodec(fields: Self.nested)
    for extra in [#"{"fields":5}"#, #"{"fields":{"title":1}}"#, #"{"key":1}"#] {
      #expect(throws: UnholdableRecord.self) { try codec.encode(project(extra: extra)) }
    }
    #expect(throws: UnholdableRecord.self) { try codec.encode(project(state: "TODO")) }
    #expect(try codec.record(try codec.encode(project(state: "other"))).project.state == "other")
    let strange = #"{"key":"a","state":"todo","meta":{"modified":1}}"#
    #expect(throws: UnreadableRecord.self) { try codec.record(Array(strange.utf8)) }
    let flat = #"{"key":"a","fields":"none","meta":{"modified":1}}"#
    #expect(throws: UnreadableRecord.self) { try codec.record(Array(flat.utf8)) }
  }

  @Test("two fields in one place, or one within another, are a fault")
  func contradictions() {
    var fields = RecordFields()
    fields.title = "/state"
    #expect(fields.fault != nil)
    fields.title = "/state/title"
    #expect(fields.fault != nil)
    fields.title = "/a/title"
    #expect(fields.fault == nil)
  }

  @Test(
    "a moment goes round in every form, to the digits that the form has",
    arguments: RecordFields.StampForm.allCases)
  func stamps(_ form: RecordFields.StampForm) throws {
    let units: [RecordFields.StampForm: Int64] = [
      .rfc3339: 1, .seconds: 1_000_000, .milliseconds: 1000, .microseconds: 1,
    ]
    var fields = RecordFields()
    (fields.updatedAtForm, fields.title) = (form, "/t")
    let codec = try RecordCodec(fields: fields)
    let unit = try #require(units[form])
    for stamp: Int64 in [-86_400_000_001, 0, 1_000, 253_402_300_799_999_999, 1_800_000_000_123_456]
    {
      var project = project()
      project.updatedAt = Timestamp(microseconds: stamp)
      let read = try codec.record(try codec.encode(project)).project.updatedAt
      #expect(read.microseconds == stamp.quotientAndRemainder(flooringBy: unit).0 * unit)
    }
  }

  @Test("ids go round in base32hex, and no other text is taken for one")
  func ids() {
    for id in ["a", "ab", "f/ö", "🗓", String(repeating: "x", count: 255), "123"] {
      let text = IDCodec.base32hex.encode(id)
      #expect(text.utf8.allSatisfy { (48...57).contains($0) || (97...118).contains($0) })
      #expect(IDCodec.base32hex.decode(text) == id)
    }
    #expect(IDCodec.base32hex.encode("foobar") == "cpnmuoj1e8")
    for text in ["", "c", "CPNM", "cz", "cp0", "cpnmuoj1e9"] {
      #expect(IDCodec.base32hex.decode(text) == nil, "\(text)")
    }
  }
}
