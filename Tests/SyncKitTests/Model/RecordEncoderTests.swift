import SyncKit
import TestSupport
import Testing

@Suite("RecordEncoder")
struct RecordEncoderTests {
  private func roundTrip(
    _ project: Project, fields: RecordFields = .standard
  ) throws -> Project {
    let bytes = RecordEncoder(fields: fields).encode(project)
    return try RecordDecoder(fields: fields).record(bytes).project
  }

  private func project(extra: String = "") throws -> Project {
    Project(
      id: try ProjectID("p"), updatedAt: Timestamp(microseconds: 1),
      extra: extra.isEmpty ? .none : try ExtraMembers(json: extra))
  }

  @Test("the text of a record")
  func text() throws {
    var project = try project(extra: #"{ "n" : 1.10 }"#)
    project.title = "T \"1\""
    let text = String(decoding: RecordEncoder().encode(project), as: UTF8.self)
    #expect(
      text
        == #"{"id":"p","title":"T \"1\"","body":"","state":"todo","dueAt":null,"#
        + #""updatedAt":"1970-01-01T00:00:00.000001Z","n":1.10}"#)
  }

  @Test(
    "extra members come back as they were, numbers to the digit",
    arguments: [
      #"{"n":1.10}"#, #"{"n":12345678901234567890123456789}"#, #"{"n":0.1000000000000000055511}"#,
      #"{"n":1E400,"m":-0.0}"#, #"{"a":[1, 2.50,{"b":null}],"c":"\u00e9\/"}"#, #"{"":1}"#,
      #"{"\u0069":1}"#, #"{"lone":"\ud800"}"#, #"{"a":1,"a":2}"#, #"{"version":7}"#, #"{"ID":"x"}"#,
    ])
  func extra(json: String) throws {
    #expect(try roundTrip(project(extra: json)).extra.json == json)
  }

  @Test("an extra member with a field's name is left out")
  func collision() throws {
    let extra = #"{"id":"q","x":1,"t\u0069tle":"y"}"#
    let back = try roundTrip(project(extra: extra))
    #expect(back.id.string == "p" && back.title.isEmpty)
    #expect(back.extra.json == #"{"x":1}"#)
  }

  @Test("extra members that stand in the store with space around them, or deep, are not lost")
  func oddExtra() throws {
    var project = try project()
    project.extra = ExtraMembers(trusted: " \n{\"a\":1}\n ")
    #expect(try roundTrip(project).extra.json == #"{"a":1}"#)
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    project.extra = ExtraMembers(trusted: "{\"a\":1,\"b\":\(deep)}")
    let text = String(decoding: RecordEncoder().encode(project), as: UTF8.self)
    #expect(text.hasSuffix(",\"a\":1,\"b\":\(deep)}"))
  }

  @Test("what is not one JSON object is refused as extra members")
  func refused() {
    for text in ["", "[]", "1", "{", #"{"a":1} x"#, #"{"a":"\q"}"#] {
      #expect(throws: JSONError.self) { try ExtraMembers(json: text) }
    }
    #expect(throws: Never.self) { try ExtraMembers(json: " { } ") == .none }
  }

  @Test("any project comes back as it was")
  func anything() throws {
    for seed in UInt64(1)...200 {
      var random = SeededGenerator(seed: seed)
      let project = try randomProject(using: &random)
      var fields = RecordFields()
      if Bool.random(using: &random) {
        fields.title = "name"
        fields.updatedAt = "last modified \"at\""
      }
      let back = try roundTrip(project, fields: fields)
      #expect(Array(back.title.utf8) == Array(project.title.utf8), "seed \(seed)")
      #expect(back == project, "seed \(seed)")
    }
  }

  private func randomProject(using random: inout SeededGenerator) throws -> Project {
    func text(_ lengths: ClosedRange<Int>) -> String {
      let scalars = (0..<Int.random(in: lengths, using: &random)).compactMap { _ in
        Unicode.Scalar(
          UInt32.random(in: 0...(Bool.random(using: &random) ? 0x7F : 0x1FFFF), using: &random))
      }
      return String(String.UnicodeScalarView(scalars))
    }
    func stamp() -> Timestamp {
      Timestamp(
        microseconds: .random(in: -62_167_219_200_000_000...253_402_300_799_999_999, using: &random)
      )
    }
    let number = Int64.random(in: .min ... .max, using: &random)
    return Project(
      id: try ProjectID("p\(UInt64.random(in: 0...9, using: &random))/é?"), title: text(0...20),
      body: text(0...200), state: text(1...5),
      dueAt: Bool.random(using: &random) ? nil : text(0...9),
      createdAt: Bool.random(using: &random) ? nil : stamp(), updatedAt: stamp(),
      extra: try ExtraMembers(json: "{\"n\":\(number).\(number.magnitude)0,\"s\":[\(number)]}"))
  }
}
