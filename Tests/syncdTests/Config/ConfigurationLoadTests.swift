import SyncKit
import Testing

@testable import syncd

@Suite("Where the configuration comes from")
struct ConfigurationLoadTests {
  private func load(
    _ words: [String], _ variables: [String: String] = [:]
  ) throws -> Configuration {
    let arguments = try ArgumentParser.parse(["status"] + words).arguments
    return try Configuration.load(
      arguments: arguments,
      environment: Environment(variables: ["HOME": "/nonexistent"].merging(variables) { $1 }))
  }

  @Test("with nothing at all the store is in the usual place")
  func nothing() throws {
    let configuration = try load([])
    #expect(configuration.file == nil)
    #expect(configuration.store == "/nonexistent/.local/share/syncd/projects.db")
    #expect(try load([], ["XDG_DATA_HOME": "/d"]).store == "/d/syncd/projects.db")
  }

  @Test("flags come before the environment, the environment before the file")
  func order() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/c.json5"
      try FileContents.create(file, text: "{ store: 'file.db', remote: { url: 'http://file' } }")
      let variables = ["SYNCD_CONFIG": file]
      #expect(try load([], variables).store == "file.db")
      #expect(try load([], variables).remote.url == "http://file")
      let more = variables.merging(["SYNCD_STORE": "~/env.db", "SYNCD_REMOTE": "http://env"]) { $1 }
      #expect(try load([], more).store == "/nonexistent/env.db")
      #expect(try load([], more).remote.url == "http://env")
      let flags = ["--store", "flag.db", "--remote", "http://flag"]
      #expect(try load(flags, more).store == "flag.db")
      #expect(try load(flags, more).remote.url == "http://flag")
    }
  }

  @Test("the user's own file is found, and --config comes before SYNCD_CONFIG")
  func places() async throws {
    try await withTemporaryDirectory { directory in
      try FileContents.create(directory + "/syncd/config.json5", text: "{ store: 'own.db' }")
      try FileContents.create(directory + "/other.json5", text: "{ store: 'other.db' }")
      let variables = ["XDG_CONFIG_HOME": directory]
      #expect(try load([], variables).store == "own.db")
      let both = variables.merging(["SYNCD_CONFIG": directory + "/missing.json5"]) { $1 }
      #expect(try load(["--config", directory + "/other.json5"], both).store == "other.db")
    }
  }

  @Test("a file that is named and missing is an error, exit 78")
  func missing() async {
    let outcome = await syncd("status", "--config", "/nonexistent/c.json5")
    #expect(outcome.code == 78)
    #expect(
      outcome.err == "syncd: /nonexistent/c.json5: cannot be read: No such file or directory\n")
  }

  @Test("SYNCD_TOKEN is the bearer token, whatever the file says")
  func token() throws {
    guard
      case .bearer(.environment("SYNCD_TOKEN"))? =
        try load([], ["SYNCD_TOKEN": "x"]).remote.authorization
    else {
      Issue.record("no bearer token")
      return
    }
  }

  @Test("the example and what init writes are valid, and mean the defaults")
  func template() throws {
    let text = ConfigurationTemplate.text(store: "~/p.db", remote: "https://h/v1")
    let configuration = try Configuration(
      ConfigurationValue.parse(text, file: "t"), file: "t",
      environment: Environment(variables: ["HOME": "/h"]))
    #expect(configuration.store == "/h/p.db")
    #expect(configuration.remote.url == "https://h/v1")
    #expect(configuration.guards == Guards())
  }

  @Test("the example in the repository is what init writes")
  func example() throws {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    #expect(
      try FileContents.text(of: root + "/config/syncd.json5")
        == ConfigurationTemplate.text(
          store: "~/.local/share/syncd/projects.db", remote: "https://api.example.com/v1/projects"))
  }

  @Test("what init has commented out is valid too")
  func commented() throws {
    let text = ConfigurationTemplate.text(store: "p.db", remote: "https://h/v1")
    let lines = text.split(separator: "\n").compactMap { line -> String? in
      let trimmed = line.drop { $0 == " " }
      guard trimmed.hasPrefix("// ") else { return String(line) }
      let rest = trimmed.dropFirst(3).drop { $0 == " " }
      let isAuth = rest.hasPrefix("auth:") && !rest.contains("basic")
      if rest == "}," { return String(rest) }
      // A setting, or the second line of one; of the many ways to authorize, one.
      let isSetting = rest.prefix { $0 != ":" }.allSatisfy(\.isLetter)
      return isSetting && rest.contains(":") && !isAuth && !rest.hasPrefix("Configuration")
        && !rest.hasPrefix("push") ? String(rest) : nil
    }
    let value = try ConfigurationValue.parse(lines.joined(separator: "\n"), file: "t")
    let configuration = try Configuration(
      value, file: "t", environment: Environment(variables: [:]))
    #expect(configuration.remote.fields == RecordFields())
    #expect(configuration.remote.concurrency == 8)
    #expect(configuration.remote.retryFor == .seconds(20))
    #expect(configuration.hooks.commands.count == HookKind.allCases.count)
    #expect(configuration.hooks.timeout == Configuration.Hooks().timeout)
  }

  @Test("fields have places, words and forms")
  func fields() throws {
    let text = """
      { remote: { ids: "base32hex", dialect: "kinto", fields: {
          title: "/f/title", state: { at: "/f/state", words: { todo: "TODO" } },
          updatedAt: { at: "modified", as: "milliseconds" }, extra: { at: "more", as: "string" } } } }
      """
    let configuration = try Configuration(
      try ConfigurationValue.parse(text, file: "t"), file: "t",
      environment: Environment(variables: [:]))
    var wanted = RecordFields()
    (wanted.title, wanted.state, wanted.updatedAt) = ("/f/title", "/f/state", "modified")
    (wanted.states, wanted.updatedAtForm) = (["todo": "TODO"], .milliseconds)
    wanted.extra = .text("more")
    #expect(configuration.remote.fields == wanted)
    #expect(configuration.remote.ids == .base32hex)
    #expect(configuration.remote.dialect == .kinto)
  }

  @Test(
    "fields that contradict each other are a fault",
    arguments: [
      #"{ title: "body" }"#, #"{ title: "/body/x" }"#, #"{ updatedAt: { as: "minutes" } }"#,
      #"{ state: { words: { todo: "x", done: "x" } } }"#, #"{ title: "" }"#, #"{ titel: "x" }"#,
    ])
  func fieldFaults(_ fields: String) throws {
    let value = try ConfigurationValue.parse("{ remote: { fields: \(fields) } }", file: "t")
    #expect(throws: ConfigurationError.self) {
      try Configuration(value, file: "t", environment: Environment(variables: [:]))
    }
  }
}
