import TestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Conflicts, end to end")
struct ConflictsEndToEndTests {
  /// Two tools on one server, both of which changed the project `fence-1` since they agreed.
  private struct Pair {
    let server: Tool
    let serving: ChildProcess
    let url: String
    let here: Tool
    let there: Tool

    init(policy: String) async throws {
      server = try Tool()
      (serving, url) = try await server.serve()
      (here, there) = (try Tool(), try Tool())
      for tool in [here, there] {
        try tool.folder.write(
          "{ direction: \"both\", conflicts: \"\(policy)\", remote: { url: \"\(url)\" } }",
          to: "syncd/config.json5")
      }
      try await here.run(
        "add", "Paint the fence", "--id", "fence-1", "--body", Self.lines(), "--extra",
        #"{"cost":1.10}"#)
      try await here.run("add", "Other", "--id", "fence-2")
      for tool in [here, there] { #expect(try await tool.once(url).status == 0) }
      try await there.run("edit", "fence-1", "--body", Self.lines(9, "theirs"))
      #expect(try await there.once(url).status == 0)
      try await here.run("edit", "fence-1", "--title", "Paint the wall")
      try await here.run("edit", "fence-1", "--body", Self.lines(2, "mine"))
    }

    static func lines(_ changed: Int = 0, _ text: String = "") -> String {
      (1...12).map { $0 == changed ? text : "line \($0)" }.joined(separator: "\n")
    }

    /// The project as a tool has it, without its stamps.
    func contents(_ tool: Tool) async throws -> String {
      try await tool.sql("SELECT title, body, state, extra FROM projects WHERE id='fence-1'")
    }

    /// Both tools and the server hold the same, and two more rounds write nothing.
    func expectAtRest() async throws {
      for tool in [there, here, there, here] {
        let result = try await tool.once(url)
        #expect(result.status == 0, "\(result.report.message)")
      }
      #expect(try await contents(here) == (try await contents(there)))
      for tool in [here, there] {
        let report = try await tool.once(url).report
        #expect(report.remote.total + report.local.total == 0)
      }
    }
  }

  /// `conflicts show --json`, as a script would read it.
  private struct Conflict: Decodable {
    struct Difference: Decodable {
      var field: String
      var local: String?
      var remote: String?
      var base: String?
    }

    var id: String
    var since: String
    var local: Record
    var remote: Record
    var base: Record?
    var differences: [Difference]
    var merged: Record?
    var clashes: [String]
  }

  @Test("wait with exit code 4, are shown offline field by field, and are decided by resolve")
  func manual() async throws {
    let pair = try await Pair(policy: "manual")
    let here = pair.here
    let first = try await here.once(pair.url)
    #expect(first.status == 4)
    #expect(first.report.outcome == "conflicts" && first.report.conflicts == 1)
    pair.serving.signal(15)
    _ = await pair.serving.wait()

    // Everything from here is offline.
    let status = try await here.run("status", "--json")
    #expect(status.output.contains(#""conflicts":1,"conflictIds":["fence-1"]"#))
    for words in [["conflicts"], ["conflicts", "list"]] {
      let list = try await here.start(words + ["--store", here.store]).wait()
      #expect(list.output.contains("fence-1") && list.output.contains("Paint the wall"))
    }
    let listed = try await here.run("conflicts", "list", "--json")
    #expect(listed.output.hasPrefix(#"[{"id":"fence-1","title":"Paint the wall","since":""#))
    let shown = try await here.run("conflicts", "show", "fence-1")
    #expect(shown.status == 0)
    for text in [
      "title\n  before  Paint the fence\n  local   Paint the wall\n  remote  Paint the fence\n",
      "  - before, + local\n    line 1\n  - line 2\n  + mine\n    line 3\n    line 4\n",
      "  - before, + remote\n    … 6 equal lines\n    line 7\n    line 8\n  - line 9\n  + theirs\n",
      "--keep local|remote|merged", "of body, the local one, the newer",
    ] {
      #expect(shown.output.contains(text), "\(text)\nin\n\(shown.output)")
    }
    #expect(!shown.output.contains("cost"))
    let json = try await here.run("conflicts", "show", "fence", "--json")
    let conflict = try JSONDecoder().decode(Conflict.self, from: Data(json.output.utf8))
    #expect(conflict.local.title == "Paint the wall" && conflict.base?.title == "Paint the fence")
    #expect(conflict.differences.map(\.field) == ["title", "body"])
    #expect(conflict.clashes == ["body"] && conflict.merged?.title == "Paint the wall")

    let decided = try await here.run("conflicts", "resolve", "fence-1", "--keep", "local")
    #expect(decided.status == 0)
    #expect(try await here.run("conflicts", "--json").output == "[]\n")
    #expect(try await here.run("status", "--json").output.contains(#""pending":1,"#))
    #expect(try await here.run("status", "--json").output.contains(#""conflicts":0,"#))
  }

  @Test("a decision is carried out by the next run", arguments: ["local", "remote", "merged"])
  func resolved(winner: String) async throws {
    let pair = try await Pair(policy: "manual")
    #expect(try await pair.here.once(pair.url).status == 4)
    let decided = try await pair.here.run(
      "conflicts", "resolve", "fence-1", "--keep", winner, "--json")
    #expect(decided.output == #"{"id":"fence-1","keep":"\#(winner)"}"# + "\n")
    let plan = try await pair.here.run("plan", "--exit-code", "--json")
    #expect(plan.status == 10)
    if winner != "merged" {
      #expect(
        plan.output.contains(#""conflicts":[{"id":"fence-1","winner":"\#(winner)"}]"#),
        "\(plan.output)")
    }
    #expect(try await pair.here.once(pair.url).status == 0)
    let title = winner == "remote" ? "Paint the fence" : "Paint the wall"
    #expect(try await pair.here.titles()["fence-1"] == title)
    try await pair.expectAtRest()
    #expect(try await pair.there.titles()["fence-1"] == title)
    let history = try await pair.here.run("history", "fence-1", "--json").output
    #expect(history.contains(winner == "merged" ? #""reason":"merged""# : #""reason":"conflict""#))
  }

  @Test("are merged, field by field, with conflicts: \"merge\"")
  func merged() async throws {
    let pair = try await Pair(policy: "merge")
    // All that was changed there is the body, of which the newer is here.
    let plan = try await pair.here.run("plan", "--json")
    #expect(plan.output.contains(#""conflicts":[{"id":"fence-1","winner":"local"}]"#))
    try await pair.there.run("edit", "fence-1", "--state", "doing")
    #expect(try await pair.there.once(pair.url).status == 0)
    try await pair.here.run("edit", "fence-1", "--title", "Paint the wall!")
    let again = try await pair.here.run("plan", "--json")
    #expect(
      again.output.contains(#""conflicts":[{"id":"fence-1","winner":"merged"}]"#),
      "\(again.output)")
    let result = try await pair.here.once(pair.url)
    #expect(result.status == 0 && result.report.conflicts == 1)
    #expect(result.report.remote.updated == 1 && result.report.local.updated == 1)
    try await pair.expectAtRest()
    let contents = try await pair.contents(pair.there)
    #expect(contents.contains("Paint the wall!|") && contents.contains("|doing|"))
    #expect(contents.contains("mine") && contents.contains("1.10"))
  }

  @Test("a decision is noticed by the service")
  func service() async throws {
    let pair = try await Pair(policy: "manual")
    let service = try await ServiceUnderTest(
      pair.here, pair.url, settings: #"direction: "both", conflicts: "manual""#)
    #expect(
      await eventually {
        (try? await pair.here.run("conflicts", "--json").output.contains("fence-1")) == true
      }, "\(service.process.errors)")
    try await pair.here.run("conflicts", "resolve", "fence-1", "--keep", "remote")
    #expect(
      await eventually { (try? await pair.here.titles()["fence-1"]) == "Paint the fence" },
      "\(service.process.errors)")
    #expect(try await service.sync().outcome == "inSync")
    #expect(try await service.sync().remote.total == 0)
    #expect(await service.stop() == 0)
  }

  @Test("errors say what is wrong, and what to do")
  func errors() async throws {
    let pair = try await Pair(policy: "manual")
    try await pair.here.run("edit", "fence-2", "--title", "mine")
    try await pair.there.run("edit", "fence-2", "--title", "theirs")
    #expect(try await pair.there.once(pair.url).status == 0)
    #expect(try await pair.here.once(pair.url).report.conflicts == 2)
    try await pair.here.run("add", "No conflict", "--id", "other-1")
    for (words, status, text) in [
      (["show", "nothing-there"], 1, "there is no project whose id begins with nothing-there"),
      (["show", "other-1"], 1, "no conflict waits on other-1"),
      (["resolve", "fence", "--keep", "local"], 2, "several ids begin with fence"),
      (["resolve", "fence-1"], 2, "needs --keep local, remote or merged"),
      (["resolve", "fence-1", "--keep", "mine"], 2, "is not one of local, remote, merged"),
      (["show"], 2, "needs ID"),
      (["show", "fence-1", "--remote", "http://127.0.0.1:1/v1/x"], 1, "no conflict waits"),
    ] as [([String], Int32, String)] {
      let result = try await pair.here.start(
        ["conflicts"] + words + ["--store", pair.here.store]
      ).wait()
      #expect(result.status == status, "\(words): \(result.errors)")
      #expect(result.errors.contains(text), "\(words): \(result.errors)")
    }
  }
}
