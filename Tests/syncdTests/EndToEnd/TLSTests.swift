import TestSupport
import Testing

/// The real server and the real client, with certificates made for the test.
@Suite("TLS, end to end")
struct TLSTests {
  private let tool: Tool
  private let certificates: TestCertificates

  init() async throws {
    tool = try Tool()
    certificates = try await TestCertificates(in: tool.folder)
    try await tool.run("add", "x", "--id", "x")
  }

  private func token() async throws -> [String: String] {
    let made = try await tool.start([
      "serve", "token", "add", "--space", "team", "--store", tool.folder.file("remote.db"),
    ]).wait()
    return ["SYNCD_TOKEN": String(made.output.dropLast())]
  }

  private func serve(
    _ files: (certificate: String, key: String)
  ) async throws -> (process: ChildProcess, url: String) {
    try await tool.serve("--certificate", files.certificate, "--key", files.key)
  }

  /// Makes the test's own authority trusted.
  private func trust() throws {
    try tool.folder.write(
      "{ remote: { tls: { ca: \"\(certificates.authority)\" } } }", to: "syncd/config.json5")
  }

  private func titles(on url: String, _ variables: [String: String]) async throws -> Int {
    let other = try Tool()
    try other.folder.write(
      "{ remote: { tls: { ca: \"\(certificates.authority)\" } }, direction: \"pull\" }",
      to: "syncd/config.json5")
    return try await other.once(url, environment: variables).report.local.appended
  }

  @Test("a run works with a token and an authority that is trusted; a second writes nothing")
  func works() async throws {
    let variables = try await token()
    let (server, url) = try await serve(
      certificates.make("good", for: "IP:127.0.0.1,DNS:localhost"))
    #expect(url.hasPrefix("https://127.0.0.1:"))
    try trust()
    let first = try await tool.once(url, environment: variables)
    #expect(first.status == 0, "\(first.report.message)")
    #expect(first.report.remote.appended == 1)
    let second = try await tool.once(url, environment: variables)
    #expect(second.status == 0 && second.report.remote.total == 0)
    #expect(try await titles(on: url, variables) == 1)
    #expect(try await tool.once(url).status == 77)
    server.signal(15)
    #expect(await server.wait().status == 0)
  }

  @Test("an authority that is not trusted is exit 76, at once, and no token is sent")
  func untrusted() async throws {
    let variables = try await token()
    let (server, url) = try await serve(certificates.make("good", for: "IP:127.0.0.1"))
    // Trouble with the network would be tried again for an hour.
    let result = try await tool.once(url, "--retry-for", "1h", environment: variables)
    #expect(result.status == 76, "\(result.report.message)")
    #expect(result.report.outcome == "protocol")
    #expect(result.report.message.contains("not trusted"), "\(result.report.message)")
    #expect(result.report.message.contains("remote.tls"))
    #expect(result.report.requests == 0)
    #expect(try await titles(on: url, variables) == 0)
    server.signal(15)
    #expect(await server.wait().status == 0)
  }

  enum Flaw: String, CaseIterable { case expired, otherHost }

  @Test(
    "a certificate that has expired, or is another host's, is exit 76", arguments: Flaw.allCases)
  func flawed(flaw: Flaw) async throws {
    let variables = try await token()
    let isExpired = flaw == .expired
    let (server, url) = try await serve(
      certificates.make(
        "flawed", for: isExpired ? "IP:127.0.0.1" : "DNS:elsewhere.test",
        days: isExpired ? -1 : 2))
    try trust()
    let result = try await tool.once(url, "--retry-for", "1h", environment: variables)
    #expect(result.status == 76, "\(result.report.message)")
    let word = isExpired ? "expired" : "127.0.0.1"
    #expect(result.report.message.contains("not trusted"), "\(result.report.message)")
    #expect(result.report.message.contains(word), "\(result.report.message)")
    #expect(result.report.requests == 0)
    server.signal(15)
    #expect(await server.wait().status == 0)
  }

  @Test("a credential over plain http to another machine is refused before anything is sent")
  func plainHTTP() async throws {
    let result = try await tool.once(
      "http://192.0.2.1/v1/projects", environment: ["SYNCD_TOKEN": "secret-token"])
    #expect(result.status == 78, "\(result.report.message)")
    #expect(result.report.message.contains("plain http"))
    #expect(!result.report.message.contains("secret-token"))
    #expect(result.report.requests == 0)
  }

  @Test("https to a port of plain http is exit 76 and says so, at once")
  func plainPort() async throws {
    let (server, url) = try await tool.serve()
    let result = try await tool.once(
      url.replacing("http://", with: "https://"), "--retry-for", "1h")
    #expect(result.status == 76, "\(result.report.message)")
    #expect(result.report.message.contains("begins with http://"), "\(result.report.message)")
    #expect(try await tool.once(url).status == 0)
    #expect(try await tool.once(url).report.remote.total == 0)
    server.signal(15)
    #expect(await server.wait().status == 0)
  }

  @Test("plain http to a port of TLS says that the URL may have to begin with https://")
  func securePort() async throws {
    let (server, url) = try await serve(certificates.make("good", for: "IP:127.0.0.1"))
    let result = try await tool.once(url.replacing("https://", with: "http://"))
    #expect([75, 76].contains(result.status), "\(result.report.message)")
    #expect(result.report.message.contains("begins with https://"), "\(result.report.message)")
    server.signal(15)
    #expect(await server.wait().status == 0)
  }
}
