import Testing

@testable import syncd

@Suite("Setting up")
struct SetUpTests {
  @Test("init writes a configuration for its owner alone, makes the store, and replaces nothing")
  func initialize() async throws {
    try await withTemporaryDirectory { directory in
      let (file, store) = (directory + "/deep/c.json5", directory + "/data/p.db")
      let outcome = await syncd(
        "init", "--config", file, "--store", store, "--remote", "http://127.0.0.1:1/v1/projects")
      #expect(outcome.code == 0)
      #expect(outcome.out == "wrote \(file)\nthe store is \(store)\n")
      #expect(FileContents.mode(of: file) == 0o600)
      #expect(FileContents.mode(of: directory + "/deep") == 0o700)
      #expect(FileContents.exists(store))
      let before = try FileContents.text(of: file)
      let again = await syncd("init", "--config", file, "--store", store)
      #expect(again.code == 78)
      #expect(again.err.contains("is there already and was left alone"))
      #expect(try FileContents.text(of: file) == before)
      let status = await syncd("status", "--config", file)
      #expect(status.out.contains("\(store), 0 projects"))
    }
  }

  @Test(
    "once and sync --wait print their object when they cannot begin, too",
    arguments: [
      (["once"], #"{"direction":1}"#, "configError", 78),
      (["sync", "--wait"], #"{"direction":1}"#, "configError", 78),
      (
        ["sync", "--wait"], #"{direction:"pull",service:{socket:"/nonexistent/s"}}"#, "offline", 75
      ),
    ])
  func report(_ words: [String], _ text: String, _ word: String, _ code: Int32) async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/c.json5"
      try FileContents.create(file, text: text)
      let outcome = await syncd(words + ["--config", file, "--json"])
      #expect(outcome.code == code, "\(outcome.err)")
      #expect(outcome.out.hasPrefix("{\"outcome\":\"\(word)\",\"direction\":"), "\(outcome.out)")
      #expect(outcome.out.hasSuffix("}\n") && !outcome.out.contains("\"message\":\"\""))
      let plain = await syncd(words + ["--config", file])
      #expect(plain.code == code)
      #expect(plain.out.isEmpty && !plain.err.isEmpty)
    }
  }

  @Test("check has a line for each finding, the remedy, and the code of the first fault")
  func check() async throws {
    try await withTemporaryDirectory { directory in
      let (file, token) = (directory + "/c.json5", directory + "/token")
      try FileContents.create(token, text: "s3cret")
      try FileContents.create(
        file,
        text: """
          { store: "\(directory)/p.db", remote: { url: "http://127.0.0.1:1/v1/projects",
            retryFor: "0s", auth: { bearer: { file: "\(token)" } } } }
          """)
      _ = await syncd("add", "A", "--config", file)
      let outcome = await syncd("check", "--config", file)
      #expect(outcome.code == 75)
      let lines = outcome.out.split(separator: "\n").map { $0.prefix(19) }
      #expect(
        lines == [
          "ok      config     ", "ok      permissions", "ok      store      ",
          "fault   remote     ",
        ])
      let json = await syncd("check", "--config", file, "--json").out
      #expect(json.hasPrefix(#"{"findings":[{"level":"ok","area":"config","message":"#))
      #expect(!outcome.out.contains("s3cret") && !json.contains("s3cret"))
    }
  }

  @Test("check names every fault of a configuration, exit 78")
  func checkConfiguration() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/c.json5"
      try FileContents.create(file, text: "{ stor: 'x', direction: 'up' }")
      let outcome = await syncd("check", "--config", file)
      #expect(outcome.code == 78)
      #expect(outcome.out.contains("stor: unknown key; did you mean \"store\"?"))
      #expect(outcome.out.contains("\"up\" is not one of push, pull, both"))
    }
  }

  @Test("once and plan without a remote are configuration errors that say how to give one")
  func noRemote() async throws {
    try await withTemporaryDirectory { directory in
      let store = directory + "/p.db"
      for command in ["once", "plan"] {
        let outcome = await syncd(command, "--store", store)
        #expect(outcome.code == 78)
        #expect(outcome.err.contains("--remote URL or SYNCD_REMOTE"))
      }
      let json = await syncd("once", "--store", store, "--json")
      #expect(json.code == 78)
      #expect(json.out.hasPrefix(#"{"outcome":"configError","direction":"push","#))
      #expect(json.err.isEmpty)
    }
  }

  @Test("an unreachable remote is exit 75, and nothing is lost")
  func offline() async throws {
    try await withTemporaryDirectory { directory in
      let words = ["--store", directory + "/p.db", "--remote", "http://127.0.0.1:1/v1/projects"]
      _ = await syncd(["add", "A"] + words)
      let outcome = await syncd(["once", "--retry-for", "0s", "-q"] + words)
      #expect(outcome.code == 75)
      #expect(outcome.out.isEmpty)
      #expect(outcome.err.contains("nothing is lost"))
      #expect(await syncd(["plan", "--json", "--retry-for", "0s"] + words).code == 75)
      #expect(await syncd(["status"] + words).out.contains("pending       1 change"))
      #expect(await syncd(["status", "--check"] + words).code == 1)
    }
  }
}
