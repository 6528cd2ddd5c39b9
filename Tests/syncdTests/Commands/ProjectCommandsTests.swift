import Testing

@testable import syncd

@Suite("Projects on the command line")
struct ProjectCommandsTests {
  /// Runs `body` with a function that runs `syncd` on a store of its own.
  private func withStore(
    _ body: (_ run: ([String]) async -> Outcome) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      try await body { await syncd(["--store", directory + "/p.db"] + $0) }
    }
  }

  @Test("add prints the id, and with --json the record")
  func add() async throws {
    try await withStore { run in
      let plain = await run(["add", "Paint the fence", "--id", "fence"])
      #expect(plain.code == 0)
      #expect(plain.out == "fence\n")
      let json = await run([
        "add", "Ruf an", "--json", "--id", "b", "--body", "x", "--state", "doing", "--due",
        "2026-12-01", "--extra", #"{"cost":1.10}"#,
      ])
      #expect(
        json.out.hasPrefix(
          #"{"id":"b","title":"Ruf an","body":"x","state":"doing","dueAt":"2026-12-01","createdAt":"#
        ))
      #expect(json.out.hasSuffix("\"cost\":1.10}\n"))
      #expect(await run(["add", "twice", "--id", "b"]).code == 2)
      #expect(await run(["add", "x", "--extra", "[]"]).code == 2)
      #expect(await run(["add", "x", "--id", ""]).code == 2)
    }
  }

  @Test("edit changes only what is given, and --clear-due takes the date away")
  func edit() async throws {
    try await withStore { run in
      _ = await run(["add", "A", "--id", "abcd-1", "--due", "2026-12-01", "--body", "b"])
      #expect(await run(["edit", "abcd", "--state", "done"]).out == "edited abcd-1\n")
      let edited = await run(["edit", "abcd-1", "--clear-due", "--json"]).out
      #expect(edited.contains(#""title":"A","body":"b","state":"done","dueAt":null"#))
      let missing = await run(["edit", "nope", "--state", "done"])
      #expect(missing.code == 1)
      #expect(missing.err.hasPrefix("syncd: there is no project"))
    }
  }

  @Test("rm removes what it can and names the others; history and restore bring it back")
  func removeAndRestore() async throws {
    try await withStore { run in
      _ = await run(["add", "A", "--id", "aaaa"])
      _ = await run(["add", "B", "--id", "bbbb"])
      let removal = await run(["rm", "aaaa", "nope", "bbbb", "--json"])
      #expect(removal.code == 1)
      #expect(removal.out == #"{"removed":["aaaa","bbbb"]}"# + "\n")
      #expect(await run(["list", "--json"]).out == "[]\n")
      let history = await run(["history", "aaaa", "--json"])
      #expect(history.out.contains(#""origin":"local","reason":"deleted""#))
      #expect(await run(["history", "aaaa"]).out.contains("deleted"))
      #expect(await run(["restore", "aaaa"]).out == "restored aaaa\n")
      #expect(await run(["show", "aaaa"]).out.hasPrefix("A\n  id       aaaa\n"))
      // An option of this command has the name of one that stands alone.
      #expect(await run(["restore", "bbbb", "--version", "999"]).code == 1)
      #expect(await run(["restore", "bbbb", "--version", "x"]).code == 2)
    }
  }

  @Test("list is aligned, whole in a pipe, and can be limited to a state")
  func list() async throws {
    try await withStore { run in
      _ = await run(["add", "프로젝트", "--id", "a", "--state", "doing"])
      _ = await run(["add", "two\u{1B}[2J\nlines", "--id", "bbbb", "--due", "2026-12-01"])
      #expect(
        await run(["list"]).out == """
          a     doing              프로젝트
          bbbb  todo   2026-12-01  two\u{FFFD}[2J lines

          """)
      #expect(await run(["list", "--state", "doing"]).out == "a   doing       프로젝트\n")
      #expect(await run(["list", "--state", "none"]).out.isEmpty)
      let json = await run(["list", "--json", "--state", "todo"]).out
      #expect(json.hasPrefix("[\n{\"id\":\"bbbb\""))
      #expect(json.hasSuffix("}\n]\n"))
    }
  }

  @Test("with -q writing commands say nothing")
  func quiet() async throws {
    try await withStore { run in
      for words in [
        ["add", "A", "--id", "aaaa"], ["edit", "aaaa", "--title", "B"], ["rm", "aaaa"],
        ["restore", "aaaa"],
      ] {
        let outcome = await run(words + ["-q"])
        #expect(outcome.code == 0)
        #expect(outcome.out.isEmpty && outcome.err.isEmpty)
      }
    }
  }

  @Test("reading a store that is not there makes none, and says so")
  func noStore() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/none.db"
      for command in ["list", "status", "export"] {
        let outcome = await syncd(command, "--store", path)
        #expect(outcome.code == 0)
        #expect(outcome.err == "syncd: there is no store at \(path) yet\n")
      }
      #expect(!FileContents.exists(path))
      #expect(
        await syncd("status", "--store", path, "--json", "-q").out.contains("\"path\":\"\(path)\""))
    }
  }

  @Test("a file that is no store is exit 74, and left as it is")
  func damaged() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/p.db"
      try FileContents.create(path, text: String(repeating: "not a database ", count: 1000))
      let before = try FileContents.text(of: path)
      for words in [
        ["list"], ["add", "x"], ["check"], ["once", "--remote", "http://127.0.0.1:1"],
      ] {
        #expect(await syncd(words + ["--store", path]).code == 74, "\(words)")
      }
      #expect(try FileContents.text(of: path) == before)
    }
  }
}
