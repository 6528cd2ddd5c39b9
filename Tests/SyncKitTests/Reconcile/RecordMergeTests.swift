import TestSupport
import Testing

@testable import SyncKit

@Suite("Three versions of a record, merged")
struct RecordMergeTests {
  private static let base = record {
    $0.title = "title"
    $0.body = "body"
    $0.dueAt = "2026-12-01"
    $0.extra = ExtraMembers(trusted: #"{"tags":["a"],"n":1.10}"#)
  }

  private static func record(_ change: (inout Project) -> Void) -> Project {
    var project = Project(
      id: ProjectID(trusted: "a"), createdAt: Timestamp(microseconds: 7),
      updatedAt: Timestamp(microseconds: 10))
    change(&project)
    return project
  }

  private static func from(_ base: Project, _ change: (inout Project) -> Void) -> Project {
    var project = base
    change(&project)
    return project
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var local: Project
    var remote: Project
    /// Merged with the local side as the newer.
    var merged: Project
    var clashes: [String] = []
    var decision: Decision

    init(
      _ says: String, local: (inout Project) -> Void = { _ in },
      remote: (inout Project) -> Void = { _ in }, merged: (inout Project) -> Void,
      clashes: [String] = [], _ decision: Decision
    ) {
      testDescription = says
      self.local = RecordMergeTests.from(RecordMergeTests.base, local)
      self.remote = RecordMergeTests.from(RecordMergeTests.base, remote)
      self.merged = RecordMergeTests.from(RecordMergeTests.base, merged)
      self.clashes = clashes
      self.decision = decision
    }
  }

  static let rows: [Row] = [
    Row(
      "different fields: both changes", local: { $0.title = "mine" },
      remote: { $0.body = "theirs" },
      merged: {
        $0.title = "mine"
        $0.body = "theirs"
      }, .conflict(winner: .merged)),
    Row(
      "one field changed apart: that one goes by the newer, and is a clash",
      local: { $0.title = "mine" },
      remote: {
        $0.title = "theirs"
        $0.state = "done"
      },
      merged: {
        $0.title = "mine"
        $0.state = "done"
      }, clashes: ["title"], .conflict(winner: .merged)),
    Row(
      "everything of the older is outdone: the newer wins", local: { $0.title = "mine" },
      remote: { $0.title = "theirs" }, merged: { $0.title = "mine" }, clashes: ["title"],
      .conflict(winner: .local)),
    Row(
      "changed to the same on both, and more on one: an update, no conflict",
      local: { $0.state = "done" },
      remote: {
        $0.state = "done"
        $0.body = "theirs"
      },
      merged: {
        $0.state = "done"
        $0.body = "theirs"
      }, .update(.local)),
    Row(
      "the same with the sides exchanged",
      local: {
        $0.state = "done"
        $0.body = "mine"
      }, remote: { $0.state = "done" },
      merged: {
        $0.state = "done"
        $0.body = "mine"
      }, .update(.remote)),
    Row(
      "a due date taken away on one side", local: { $0.dueAt = nil },
      remote: { $0.title = "theirs" },
      merged: {
        $0.dueAt = nil
        $0.title = "theirs"
      }, .conflict(winner: .merged)),
    Row(
      "one moment in two spellings is no change",
      local: {
        $0.dueAt = "2026-12-01T00:00:00Z"
        $0.title = "mine"
      },
      remote: {
        $0.dueAt = "2026-12-01T01:00:00+01:00"
        $0.body = "theirs"
      },
      merged: {
        $0.dueAt = "2026-12-01T00:00:00Z"
        $0.title = "mine"
        $0.body = "theirs"
      }, .conflict(winner: .merged)),
    Row(
      "members are fields of their own: added, changed and removed",
      local: { $0.extra = ExtraMembers(trusted: #"{"tags":["a","b"],"n":1.1,"x":true}"#) },
      remote: { $0.extra = ExtraMembers(trusted: #"{"tags":["a"],"y":null}"#) },
      merged: { $0.extra = ExtraMembers(trusted: #"{"tags":["a","b"],"x":true,"y":null}"#) },
      .conflict(winner: .merged)),
    Row(
      "a member removed on one side and changed on the other is a clash",
      local: { $0.extra = ExtraMembers(trusted: #"{"n":1.1}"#) },
      remote: { $0.extra = ExtraMembers(trusted: #"{"tags":["c"],"n":1.1}"#) },
      merged: { $0.extra = ExtraMembers(trusted: #"{"n":1.1}"#) }, clashes: ["tags"],
      .conflict(winner: .local)),
    Row(
      "names are compared by their bytes",
      local: { $0.extra = ExtraMembers(trusted: "{\"tags\":[\"a\"],\"n\":1.1,\"\u{E9}\":1}") },
      remote: { $0.extra = ExtraMembers(trusted: "{\"tags\":[\"a\"],\"n\":1.1,\"e\u{301}\":2}") },
      merged: {
        $0.extra = ExtraMembers(
          trusted: "{\"tags\":[\"a\"],\"n\":1.1,\"\u{E9}\":1,\"e\u{301}\":2}")
      }, .conflict(winner: .merged)),
    Row(
      "a remote that keeps no createdAt says nothing of it", local: { $0.title = "mine" },
      remote: {
        $0.createdAt = nil
        $0.body = "theirs"
      },
      merged: {
        $0.title = "mine"
        $0.body = "theirs"
      }, .conflict(winner: .merged)),
    Row(
      "members of one name twice are one field",
      local: { $0.extra = ExtraMembers(trusted: #"{"a":1,"a":2}"#) },
      remote: { $0.title = "theirs" },
      merged: {
        $0.extra = ExtraMembers(trusted: #"{"a":1,"a":2}"#)
        $0.title = "theirs"
      }, .conflict(winner: .merged)),
  ]

  @Test("field by field", arguments: rows)
  func table(row: Row) {
    let merge = RecordMerge(base: Self.base, local: row.local, remote: row.remote, newer: .local)
    #expect(merge.project.hasContents(of: row.merged), "\(merge.project)")
    #expect(merge.clashes == row.clashes)
    #expect(merge.decision == row.decision)
  }

  @Test("numbers keep their digits, and text that only looks equal is not the same")
  func digits() {
    let big = ExtraMembers(trusted: #"{"n":123456789012345678901234567890.10}"#)
    let local = Self.from(Self.base) { $0.extra = big }
    let remote = Self.from(Self.base) { $0.title = "e\u{301}" }
    let merge = RecordMerge(
      base: Self.from(Self.base) { $0.title = "\u{E9}" }, local: local, remote: remote,
      newer: .remote)
    #expect(merge.project.extra.json.contains("123456789012345678901234567890.10"))
    #expect(merge.project.title.utf8.count == 5 || merge.clashes == ["title"])
  }

  // MARK: Properties

  private struct Generator {
    var random: SeededGenerator

    mutating func pick<Value>(_ values: [Value]) -> Value {
      values[Int(random.next() % UInt64(values.count))]
    }

    mutating func version(of base: Project? = nil) -> Project {
      var project = base ?? RecordMergeTests.base
      let fields = Int(random.next() % 5)
      for _ in 0..<fields {
        switch random.next() % 6 {
        case 0: project.title = pick(["x", "y", "\u{E9}", "e\u{301}"])
        case 1: project.body = pick(["", "x", "y\nz"])
        case 2: project.state = pick(["todo", "doing", "done"])
        case 3:
          project.dueAt = pick([nil, "soon", "2026-12-01T00:00:00Z", "2026-12-01T01:00:00+01:00"])
        case 4: project.createdAt = pick([nil, Timestamp(microseconds: 7), .init(microseconds: 8)])
        default:
          project.extra = ExtraMembers(
            trusted: pick([
              "", #"{"a":1}"#, #"{"a":1.0,"b":"x"}"#, #"{"b":"x","a":2}"#, #"{"a":1,"a":2}"#,
              #"{"c":{"d":[1]}}"#,
            ]))
        }
      }
      project.updatedAt = Timestamp(microseconds: Int64(random.next() % 3))
      return project
    }
  }

  @Test(
    "sides exchanged give the same; an unchanged side gives the other; again changes nothing")
  func properties() {
    for seed in 0..<3000 as Range<UInt64> {
      var generator = Generator(random: SeededGenerator(seed: seed))
      let base = generator.version()
      let (local, remote) = (generator.version(of: base), generator.version(of: base))
      let newer = generator.pick(Side.allCases)
      let merge = RecordMerge(base: base, local: local, remote: remote, newer: newer)

      let exchanged = RecordMerge(base: base, local: remote, remote: local, newer: newer.other)
      #expect(exchanged.project == merge.project, "seed \(seed)")
      #expect(exchanged.clashes == merge.clashes, "seed \(seed)")

      let untouched = RecordMerge(base: base, local: base, remote: remote, newer: newer)
      #expect(untouched.project.hasContents(of: remote), "seed \(seed)")
      #expect(untouched.clashes.isEmpty, "seed \(seed)")
      let same = RecordMerge(base: base, local: local, remote: local, newer: newer)
      #expect(same.project.hasContents(of: local) && same.clashes.isEmpty, "seed \(seed)")

      // The device that gets the merged version while it has one of the two makes the same of it.
      for other in [local, remote] {
        let again = RecordMerge(base: other, local: merge.project, remote: other, newer: .local)
        #expect(again.project.hasContents(of: merge.project), "seed \(seed)")
      }
      // Nothing is made up: every field is one of the three versions'.
      for text in [merge.project.title] {
        #expect([base, local, remote].contains { $0.title == text }, "seed \(seed)")
      }
    }
  }

  @Test("the fields that differ are those a person has to look at")
  func differences() {
    let local = Self.from(Self.base) {
      $0.title = "mine"
      $0.dueAt = "2026-12-01T00:00:00Z"
      $0.extra = ExtraMembers(trusted: #"{"tags":["b"],"n":1.1}"#)
    }
    let remote = Self.from(Self.base) {
      $0.dueAt = "2026-12-01T01:00:00+01:00"
      $0.extra = ExtraMembers(trusted: #"{"tags":["a"],"n":1.10}"#)
    }
    let found = FieldDifference.between(local: local, remote: remote, base: Self.base)
    #expect(
      found == [
        FieldDifference(
          name: "title", local: .text("mine"), remote: .text("title"), base: .text("title")),
        FieldDifference(
          name: "tags", local: .json(#"["b"]"#), remote: .json(#"["a"]"#), base: .json(#"["a"]"#)),
      ])
  }
}
