import TestSupport
import Testing

@testable import SyncKit

@Suite("The history says who and why")
struct ReasonTests {
  struct Path: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var options = SyncOptions.both
    /// What the history of `a` holds after a run, the newest first, as `origin reason title`.
    var expected: [String]
    var arrange: @Sendable (Rig) async throws -> Void
  }

  static let paths: [Path] = [
    Path(testDescription: "edited here", expected: ["local edited title of a"]) {
      try await $0.write("a", title: "mine")
    },
    Path(testDescription: "deleted here", expected: ["local deleted title of a"]) {
      try await $0.remove("a")
    },
    Path(testDescription: "replaced here", expected: ["local replaced title of a"]) {
      try await $0.store.sql("INSERT OR REPLACE INTO projects(id, title) VALUES('a', 'mine')")
    },
    Path(testDescription: "edited there", expected: ["local overwritten title of a"]) {
      try await $0.theirs("a") { $0.title = "theirs" }
    },
    Path(testDescription: "deleted there", expected: ["local deleted title of a"]) {
      $0.remote.remove(try ProjectID("a"))
    },
    Path(
      testDescription: "a conflict that the local version wins",
      options: SyncOptions(direction: .both, conflicts: .local),
      expected: ["remote conflict theirs", "local edited title of a"], arrange: conflict),
    Path(
      testDescription: "a conflict that the remote's version wins",
      options: SyncOptions(direction: .both, conflicts: .remote),
      expected: ["local conflict mine", "local edited title of a"], arrange: conflict),
    Path(
      testDescription: "a conflict that waits", options: .manual,
      expected: ["remote conflict theirs", "local edited title of a"], arrange: conflict),
    Path(
      testDescription: "a merger", options: .merge,
      expected: [
        "remote merged title of a", "local merged mine", "local edited title of a",
      ]
    ) {
      try await $0.write("a", title: "mine")
      try await $0.theirs("a") { $0.body = "theirs" }
    },
    Path(
      testDescription: "a push over the remote's version", options: .push,
      expected: ["remote overwritten theirs", "local edited title of a"], arrange: conflict),
    Path(
      testDescription: "a push that deletes what the remote changed", options: .push,
      expected: ["remote deleted theirs", "local deleted title of a"]
    ) {
      try await $0.theirs("a") { $0.title = "theirs" }
      try await $0.remove("a")
    },
    Path(
      testDescription: "a pull over the local version", options: .pull,
      expected: ["local overwritten mine", "local edited title of a"]
    ) {
      try await $0.write("a", title: "mine")
      try await $0.theirs("a") {
        $0.title = "theirs"
        $0.updatedAt = Timestamp(microseconds: 4_000_000_000_000_000)
      }
    },
    Path(
      testDescription: "a pull that deletes", options: .pull,
      expected: ["local deleted mine", "local edited title of a"]
    ) {
      try await $0.write("a", title: "mine")
      $0.remote.remove(try ProjectID("a"))
    },
  ]

  @Sendable private static func conflict(_ rig: Rig) async throws {
    try await rig.theirs("a") { $0.title = "theirs" }
    try await rig.write("a", title: "mine")
  }

  @Test("on every way that a version is superseded", arguments: paths)
  func reasons(path: Path) async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.both)
    try await path.arrange(rig)
    let report = try await rig.sync(path.options)
    let history = try await rig.store.history(of: ProjectID("a"))
    #expect(
      history.map { "\($0.origin.rawValue) \($0.reason.rawValue) \($0.project.title)" }
        == path.expected)
    try await rig.expectAtRest(path.options, outcome: report.outcome)
  }

  @Test("a version that is brought back is an ordinary edit, whoever held it")
  func restored() async throws {
    let rig = try await Rig(local: ["a"])
    _ = try await rig.sync(.both)
    try await Self.conflict(rig)
    let options = SyncOptions(direction: .both, conflicts: .local)
    _ = try await rig.sync(options)
    let id = try ProjectID("a")
    let theirs = try #require(
      try await rig.store.history(of: id).first { $0.origin == .remote })
    _ = try await rig.store.restore(id, version: theirs.version)
    #expect(try await rig.store.status(remote: rig.remote.url).pending == 1)
    let report = try await rig.sync(options)
    #expect(report.remote.updated == 1 && report.conflicts == 0)
    #expect(rig.remoteTitles["a"] == "theirs")
    #expect(try await rig.store.history(of: id).first?.reason == .edited)
    try await rig.expectAtRest(options)
  }
}
