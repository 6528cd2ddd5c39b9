import SyncKit
import Testing

@testable import syncd

@Suite("What a new configuration changes")
struct ConfigurationDifferencesTests {
  private func read(_ text: String) throws -> Configuration {
    try Configuration(
      ConfigurationValue.parse(text, file: "c"), file: "c", environment: Environment(variables: [:])
    )
  }

  private func differences(_ old: String, _ new: String) throws -> [String] {
    try read(new).differences(from: read(old))
  }

  @Test(
    "is said in a sentence each",
    arguments: [
      ("{ service: { interval: '15m' } }", "{}", []),
      ("{}", "{ service: { interval: '300s' } }", ["service.interval: 15m → 5m"]),
      (
        "{ store: 'a.db' }", "{ store: 'b.db' }",
        ["store: a.db → b.db; takes a restart"]
      ),
      (
        "{}", "{ service: { socket: '/s', http: '127.0.0.1:1' } }",
        [
          "service.socket: not set → /s; takes a restart",
          "service.http: not set → 127.0.0.1:1; takes a restart",
        ]
      ),
      (
        "{ direction: 'both', log: { level: 'debug' } }", "{ direction: 'pull' }",
        ["direction: both → pull", "log.level: debug → info"]
      ),
      (
        "{}",
        "{ remote: { retryFor: '1500ms', timeouts: { idle: '2h' } }, guards: { maxDeletions: 3 } }",
        [
          "remote.retryFor: not set → 1500ms", "remote.timeouts.idle: 30s → 2h",
          "guards.maxDeletions: 10 → 3",
        ]
      ),
      (
        "{ remote: { fields: { title: 'name' } } }", "{ remote: { listAt: 'data.items' } }",
        ["remote.fields: changed", "remote.listAt: not set → data.items"]
      ),
    ])
  func sentences(old: String, new: String, expected: [String]) throws {
    #expect(try differences(old, new) == expected)
  }

  @Test(
    "never shows what may be secret",
    arguments: [
      (
        "{ remote: { auth: { bearer: 's3cret1' } } }",
        "{ remote: { auth: { bearer: 's3cret2' } } }",
        ["remote.auth: changed"]
      ),
      (
        "{ remote: { auth: { bearer: 's3cret' } } }",
        "{ remote: { auth: { basic: { user: 'me', password: { file: '/p' } } } } }",
        ["remote.auth: a bearer token from a text (hidden) → a user and password from the file /p"]
      ),
      (
        "{ remote: { auth: { bearer: { command: ['pass', 's3cret'] } } } }", "{}",
        ["remote.auth: a bearer token from the command pass → not set"]
      ),
      ("{}", "{ remote: { headers: { 'X-Key': 's3cret' } } }", ["remote.headers: changed"]),
      ("{}", "{ remote: { query: 'key=s3cret' } }", ["remote.query: changed"]),
      (
        "{ remote: { url: 'https://h/p?key=s3cret' } }", "{ remote: { url: 'https://h/p' } }",
        ["remote.url: changed"]
      ),
      (
        "{ remote: { url: 'https://h/p' } }", "{ remote: { url: 'https://u:s3cret@h/p' } }",
        ["remote.url: https://h/p → https://(hidden)@h/p"]
      ),
      (
        "{ hooks: { onSync: ['curl', '-H', 's3cret'] } }", "{ hooks: { onSync: ['curl'] } }",
        ["hooks.onSync: changed"]
      ),
      ("{}", "{ hooks: { onFailure: ['a', 's3cret'] } }", ["hooks.onFailure: not set → a"]),
    ])
  func secrets(old: String, new: String, expected: [String]) throws {
    let sentences = try differences(old, new)
    #expect(sentences == expected)
    #expect(!sentences.joined().contains("s3cret"))
  }

  @Test("has a sentence for every key that the manual names")
  func complete() throws {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    let page = try FileContents.text(of: root + "/docs/configuration.md")
    let keys = page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains(".") }
      .flatMap { row in
        row.split(separator: "|")[0].split(separator: "`").filter { $0.contains(where: \.isLetter) }
      }.filter { !$0.hasPrefix("SYNCD") && $0 != "remote.auth" }
    let known = Configuration().settingKeys
    #expect(keys.count > 25)
    for key in keys { #expect(known.contains(String(key)), "\(key)") }
  }

  @Test("spans are written as the configuration has them")
  func spans() {
    for text in ["500ms", "0s", "1s", "90s", "15m", "2h", "90d", "1500ms"] {
      #expect(Duration(spelled: text)?.spelled == text)
    }
  }
}
