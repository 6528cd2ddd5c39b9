import SyncKit
import Testing

@Suite("CanonicalContents: equal where only spelling differs")
struct CanonicalContentsTests {
  private func bytes(extra: String, dueAt: String? = nil) throws -> [UInt8] {
    CanonicalContents.bytes(of: try project(extra: extra, dueAt: dueAt))
  }

  private func project(extra: String = "", dueAt: String? = nil) throws -> Project {
    Project(
      id: try ProjectID("p"), title: "t", dueAt: dueAt, updatedAt: Timestamp(microseconds: 1),
      extra: extra.isEmpty ? .none : try ExtraMembers(json: extra))
  }

  @Test(
    "the same contents, spelled differently",
    arguments: [
      (#"{"n":1.10}"#, #"{"n":1.1}"#), (#"{"n":11e-1}"#, #"{"n":1.1}"#),
      (#"{"n":1E2}"#, #"{"n":100}"#), (#"{"n":0.00}"#, #"{"n":-0}"#),
      (#"{"n":1e+2}"#, #"{"n":100.0}"#), (#"{"n":0.10e1}"#, #"{"n":1}"#),
      (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#), (#"{ "a" : [ 1 , 2 ] }"#, #"{"a":[1,2]}"#),
      ("\n{\"a\":1}\t", #"{"a":1}"#), (#"{"a":"\u00e9\/"}"#, #"{"a":"é/"}"#),
      (#"{"a":{"y":1,"x":[{"c":1,"b":2}]}}"#, #"{"a":{"x":[{"b":2,"c":1}],"y":1}}"#),
      (#"{"\u0061":1}"#, #"{"a":1}"#), ("{ }", ""),
    ])
  func same(one: String, other: String) throws {
    #expect(try bytes(extra: one) == bytes(extra: other))
  }

  @Test(
    "different contents",
    arguments: [
      (#"{"n":12345678901234567890}"#, #"{"n":12345678901234567891}"#),
      (#"{"n":1}"#, #"{"n":10}"#), (#"{"n":1}"#, #"{"n":-1}"#), (#"{"n":1}"#, #"{"n":"1"}"#),
      (#"{"n":0.1}"#, #"{"n":0.01}"#), (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#),
      (#"{"a":[12]}"#, #"{"a":[1,2]}"#), (#"{"a":null}"#, "{}"), (#"{"a":true}"#, #"{"a":false}"#),
      (#"{"a":[]}"#, #"{"a":{}}"#), ("{\"a\":\"é\"}", "{\"a\":\"e\u{301}\"}"),
      (#"{"a":{"b":1}}"#, #"{"a":{},"b":1}"#),
      (#"{"n":1e99999999999999999999}"#, #"{"n":1}"#),
      (#"{"n":1e99999999999999999999}"#, #"{"n":1e99999999999999999998}"#),
      (#"{"n":10e9223372036854775807}"#, #"{"n":1}"#),
      (#"{"n":0.1e-9223372036854775808}"#, #"{"n":1}"#),
    ])
  func different(one: String, other: String) throws {
    #expect(try bytes(extra: one) != bytes(extra: other))
  }

  @Test("a due date counts as a moment where it is one, and as its text where it is not")
  func dueDates() throws {
    let moment = try bytes(extra: "", dueAt: "2026-11-30T17:24:00Z")
    #expect(try bytes(extra: "", dueAt: "2026-11-30T18:24:00.000+01:00") == moment)
    #expect(try bytes(extra: "", dueAt: "2026-11-30T17:24:01Z") != moment)
    #expect(try bytes(extra: "", dueAt: "next week") != bytes(extra: "", dueAt: "next month"))
    #expect(try bytes(extra: "", dueAt: "") != bytes(extra: "", dueAt: nil))
  }

  @Test("every field counts but updatedAt; createdAt can be left out")
  func fields() throws {
    let original = try project()
    var changed = original
    changed.updatedAt = Timestamp(microseconds: 2)
    #expect(CanonicalContents.bytes(of: changed) == CanonicalContents.bytes(of: original))
    let changes: [(inout Project) -> Void] = [
      { $0.title = "other" }, { $0.body = "other" }, { $0.state = "other" },
      { $0.dueAt = "other" }, { $0.createdAt = Timestamp(microseconds: 3) },
      { $0.id = ProjectID(trusted: "q") }, { $0.extra = ExtraMembers(trusted: #"{"x":1}"#) },
    ]
    for change in changes {
      var changed = original
      change(&changed)
      #expect(CanonicalContents.bytes(of: changed) != CanonicalContents.bytes(of: original))
    }
    changed.createdAt = Timestamp(microseconds: 3)
    #expect(
      CanonicalContents.bytes(of: changed, omitsCreatedAt: true)
        == CanonicalContents.bytes(of: original, omitsCreatedAt: true))
  }

  @Test("text does not move from one field to the next")
  func boundaries() throws {
    var one = try project()
    var other = one
    (one.title, one.body) = ("ab", "c")
    (other.title, other.body) = ("a", "bc")
    #expect(CanonicalContents.bytes(of: one) != CanonicalContents.bytes(of: other))
  }

  @Test("extra members that stand in the store with space around them count the same")
  func spaceAround() throws {
    var one = try project()
    var other = one
    one.extra = ExtraMembers(trusted: " \n{\"a\": 1.0}\n")
    other.extra = ExtraMembers(trusted: #"{"a":1}"#)
    #expect(CanonicalContents.bytes(of: one) == CanonicalContents.bytes(of: other))
  }

  @Test("the greater hash is the same on every device")
  func ties() throws {
    var one = try project()
    var other = one
    one.title = "mine"
    other.title = "yours"
    let here = ContentComparison(local: one, remote: other)
    let there = ContentComparison(local: other, remote: one)
    guard case .different(let winner) = here, case .different(let mirrored) = there else {
      Issue.record("the contents differ")
      return
    }
    #expect(winner == mirrored.other)
    #expect(ContentComparison(local: one, remote: one) == .same)
  }
}
