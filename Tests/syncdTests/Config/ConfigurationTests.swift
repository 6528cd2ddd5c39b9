import SyncKit
import Testing

@testable import syncd

@Suite("Configuration")
struct ConfigurationTests {
  private static let environment = Environment(variables: ["HOME": "/home/ada"])

  private func read(_ text: String) throws -> Configuration {
    try Configuration(
      ConfigurationValue.parse(text, file: "c.json5"), file: "c.json5",
      environment: Self.environment)
  }

  private func faults(_ text: String) -> [String] {
    do {
      _ = try read(text)
      return []
    } catch let error as ConfigurationError {
      return error.faults.map { "\($0.key): \($0.message)" }
    } catch {
      return ["\(error)"]
    }
  }

  @Test("every key is read")
  func everyKey() throws {
    let configuration = try read(
      """
      // a comment
      { store: '~/p.db',
        remote: { url: "https://h/v1/projects", dialect: "rest",
          auth: { basic: { user: "ada", password: { file: "~/pw" } } },
          fields: { id: "key", title: "name", body: "text", state: "status", dueAt: "due",
                    createdAt: "made", updatedAt: "changed", etag: "tag", version: "rev" },
          headers: { "X-Tenant": "north", "X-Other": "1" },
          listAt: "data.items", nextAt: "/links/a~1b", query: "?limit=1000",
          allowInsecure: true, concurrency: 3, retryFor: "5m",
          tls: { ca: "~/ca.pem", certificate: "c.pem", key: "k.pem" },
          timeouts: { connect: "500ms", idle: "2h" }, },
        direction: "both", deletions: "known", conflicts: "remote",
        guards: { maxDeletions: 3, maxDeletionShare: .25 },
        service: { interval: "1m", debounce: "1s", socket: "~/s.sock", http: "127.0.0.1:1" },
        hooks: { onSync: ["~/bin/a", "b c"], onConflict: ["c"], onFailure: ["/d"],
                 onRecovered: ["e"], timeout: "5s" },
        history: { keep: "7d" }, log: { level: "debug", format: "json" }, }
      """)
    #expect(configuration.file == "c.json5")
    #expect(configuration.store == "/home/ada/p.db")
    let remote = configuration.remote
    #expect(remote.url == "https://h/v1/projects")
    #expect(remote.dialect == .rest)
    guard case .basic("ada", .file("/home/ada/pw"))? = remote.authorization else {
      Issue.record("\(String(describing: remote.authorization))")
      return
    }
    #expect(remote.fields.id == "key" && remote.fields.title == "name")
    #expect(remote.fields.body == "text" && remote.fields.state == "status")
    #expect(remote.fields.dueAt == "due" && remote.fields.createdAt == "made")
    #expect(remote.fields.updatedAt == "changed")
    #expect(remote.fields.etag == "tag" && remote.fields.version == "rev")
    #expect(remote.headers.map(\.name) == ["X-Other", "X-Tenant"])
    #expect(remote.listAt == ["data", "items"])
    #expect(remote.nextAt == ["links", "a/b"])
    #expect(remote.query == "limit=1000")
    #expect(remote.allowsInsecure)
    #expect(remote.concurrency == 3)
    #expect(remote.retryFor == .seconds(300))
    #expect(remote.tls.ca == "/home/ada/ca.pem")
    #expect(remote.tls.certificate == "c.pem" && remote.tls.key == "k.pem")
    #expect(remote.connectTimeout == .milliseconds(500))
    #expect(remote.idleTimeout == .seconds(7200))
    #expect(configuration.direction == .both)
    #expect(configuration.deletions == .known)
    #expect(configuration.conflicts == .remote)
    #expect(configuration.guards.maxDeletions == 3)
    #expect(configuration.guards.maxDeletionShare == 0.25)
    #expect(configuration.service.interval == .seconds(60))
    #expect(configuration.service.debounce == .seconds(1))
    #expect(configuration.service.socket == "/home/ada/s.sock")
    #expect(configuration.service.http == "127.0.0.1:1")
    #expect(
      configuration.hooks
        == Configuration.Hooks(
          commands: [
            .sync: ["/home/ada/bin/a", "b c"], .conflict: ["c"], .failure: ["/d"],
            .recovered: ["e"],
          ], timeout: .seconds(5)))
    #expect(configuration.historyKeep == .seconds(7 * 86_400))
    #expect(configuration.log.level == .debug)
    #expect(configuration.log.format == .json)
  }

  @Test("an empty object is the defaults, and null is not set")
  func defaults() throws {
    let configuration = try read("{ remote: { auth: null }, direction: null }")
    #expect(configuration.direction == .push)
    #expect(configuration.deletions == .propagate)
    #expect(configuration.conflicts == .newest)
    #expect(configuration.guards == Guards())
    #expect(configuration.historyKeep == .seconds(90 * 86_400))
    #expect(configuration.remote.concurrency == 8)
    #expect(configuration.remote.url == nil)
  }

  @Test(
    "credentials are taken from where they are kept",
    arguments: [
      ("bearer: { env: 'T' }", "a"), ("bearer: { command: ['pass', 'x'] }", "b"),
      ("bearer: { credential: 'c' }", "c"), ("header: { name: 'X-Key', value: { env: 'K' } }", "d"),
      ("bearer: 'literal'", "e"),
    ])
  func credentials(text: String, kind: String) throws {
    let authorization = try read("{ remote: { auth: { \(text) } } }").remote.authorization
    let isRight =
      switch (kind, authorization) {
      case ("a", .bearer(.environment("T"))?), ("b", .bearer(.command(["pass", "x"]))?),
        ("c", .bearer(.systemd("c"))?), ("d", .header("X-Key", .environment("K"))?),
        ("e", .bearer(.text("literal"))?):
        true
      default: false
      }
    #expect(isRight)
  }

  @Test(
    "a fault is named with its whole path",
    arguments: [
      ("{ stroe: 'x' }", "stroe: unknown key; did you mean \"store\"?"),
      (
        "{ remote: { tls: { caa: 'x' } } }",
        "remote.tls.caa: unknown key; did you mean \"ca\"?"
      ),
      (
        "{ log: { colour: 1 } }", "log.colour: unknown key; known are level, format"
      ),
      ("{ remote: 'https://h' }", "remote: should be an object, not text"),
      ("{ remote: { url: 5 } }", "remote.url: should be text, not a number"),
      (
        "{ history: { keep: '90 days' } }",
        "history.keep: \"90 days\" is not a duration; write a whole number with ms, s, m, h or d: \"15m\""
      ),
      (
        "{ service: { interval: 15 } }",
        "service.interval: should be a duration in quotes such as \"15m\", not a number"
      ),
      (
        "{ direction: 'pus' }",
        "direction: \"pus\" is not one of push, pull, both; did you mean \"push\"?"
      ),
      ("{ remote: { concurrency: 0 } }", "remote.concurrency: should be from 1 to 64, not 0"),
      (
        "{ guards: { maxDeletionShare: 2 } }",
        "guards.maxDeletionShare: should be from 0.0 to 1.0, not 2.0"
      ),
      (
        "{ guards: { allowEmpty: true } }",
        "guards.allowEmpty: a guard is lifted for one run only: syncd once --allow-empty"
      ),
      (
        "{ remote: { fields: { title: '/state/title' } } }",
        "remote.fields: state is the place of two fields, or lies within another"
      ),
      (
        "{ remote: { tls: { key: 'k' } } }",
        "remote.tls.certificate: a certificate and its key are given together"
      ),
      (
        "{ remote: { auth: { bearer: { file: 'a', env: 'b' } } } }",
        "remote.auth.bearer: give one of file, env, command, credential"
      ),
      (
        "{ remote: { auth: { bearer: 'a', basic: { user: 'u', password: 'p' } } } }",
        "remote.auth: give one of bearer, basic, header"
      ),
      ("{ remote: { auth: { basic: { user: 'u' } } } }", "remote.auth.basic.password: is missing"),
      ("{ remote: { headers: { 'X-A': 1 } } }", "remote.headers.X-A: should be text, not a number"),
      (
        "{ hooks: { onSync: 'logger x' } }",
        "hooks.onSync: should be a list of words such as [\"/usr/bin/logger\", \"synced\"], not text"
      ),
      ("{ hooks: { onSync: [] } }", "hooks.onSync: is empty"),
      ("{ hooks: { onSync: ['a', 1] } }", "hooks.onSync: should be a list of texts"),
      (
        "{ hooks: { onSync: ['bin/a'] } }",
        "hooks.onSync: hooks run in /; give the whole path of \"bin/a\""
      ),
      ("{ hooks: { onsync: ['a'] } }", "hooks.onsync: unknown key; did you mean \"onSync\"?"),
      ("{ hooks: { timeout: '0s' } }", "hooks.timeout: is no time"),
      ("{ remote: { auth: { bearer: { command: [] } } } }", "remote.auth.bearer.command: is empty"),
      ("[]", ": should be an object, not a list"),
    ])
  func fault(text: String, message: String) {
    #expect(faults(text) == [message])
  }

  @Test("all faults of a file are named at once")
  func allFaults() {
    #expect(faults("{ a: 1, remote: { b: 2, url: false }, direction: 'x' }").count == 4)
  }

  @Test(
    "a key that is given twice is a fault, with its path and both lines",
    arguments: [
      ("{ store: 'a',\n  store: 'b' }", "store: line 2: is given already on line 1"),
      (
        "{ remote: { url: 'http://a',\n // url: 'http://b'\n 'url': 'http://c' } }",
        "remote.url: line 3: is given already on line 1"
      ),
      (
        "{ remote: {},\n\n \"rem\\u006fte\": { url: 'u' } }",
        "remote: line 3: is given already on line 1"
      ),
      (
        "{ remote: { headers: { 'X-A': 'https://h:1/{', \"X-A\": '2' } } }",
        "remote.headers.X-A: line 1: is given already on line 1"
      ),
    ])
  func twice(text: String, message: String) {
    #expect(faults(text) == [message])
  }

  @Test("the same key in two objects is no repetition")
  func sameKeyElsewhere() {
    #expect(faults("{ remote: { tls: { ca: 'key', key: 'k', certificate: 'c' } } }") == [])
    #expect(faults("{ log: { level: 'info' }, history: { keep: '1d' }, }") == [])
  }

  @Test("no fault repeats a credential")
  func noSecrets() {
    let text = "{ remote: { auth: { bearer: 's3cret', header: { value: 's3cret' } } } }"
    #expect(!faults(text).isEmpty)
    #expect(!faults(text).joined().contains("s3cret"))
  }

  @Test(
    "text that is no JSON5 is named with its line and column",
    arguments: [
      ("{ a: 1\n  b: 2 }", "line 2, column 3: expected a comma or }"),
      ("{ a: }", "line 1, column 6: expected a value"),
      ("{ a: [1, 2 }", "line 1, column 12: expected a comma or ]"),
      ("{ a: \"x }", "line 1, column 6: a text without its closing quote"),
      ("{ a: 1", "line 1, column 7: the text ends where a comma or } should be"),
      ("", "line 1, column 1: the text ends where a value should be"),
      ("{} {}", "line 1, column 4: text after the end of the value"),
      ("{ a 1 }", "line 1, column 5: expected a colon after the key"),
      ("/* c */ { // d\n a: 1, }, x", "line 2, column 9: text after the end of the value"),
    ])
  func syntax(text: String, message: String) {
    #expect(faults(text) == [": not JSON5: \(message)"])
  }
}
