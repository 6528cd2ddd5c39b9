import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// A source whose tokens count up, and that counts how often it is asked.
private final class CountingSource: CredentialSource {
  let asked = Mutex(0)
  var isRenewable: Bool { true }

  func authorization(fresh: Bool) async throws -> AuthorizationHeader? {
    let number = asked.withLock { asked in
      asked += 1
      return asked
    }
    await Task.yield()
    return AuthorizationHeader(value: "Bearer token-\(number)")
  }
}

@Suite("Credentials")
struct CredentialTests {
  private static func header(_ request: HTTPRequest) -> String? { request.headers["Authorization"] }

  @Test("a credential is asked for once, and afresh once when it is refused")
  func renewed() async throws {
    let source = CountingSource()
    let scripted = try Scripted(change: .setting { $0.credentials = source }) { request, number in
      if number < 4 { return .json("[]") }
      return Self.header(request) == "Bearer token-2" ? .json("[]") : ScriptedAnswer(401)
    }
    for _ in 0..<10 { _ = try await scripted.remote.entries() }
    #expect(source.asked.withLock { $0 } == 2)
    #expect(scripted.transport.requests.count == 11)
  }

  @Test("requests that are refused together ask the source once")
  func renewedTogether() async throws {
    let source = CountingSource()
    let scripted = try Scripted(change: .setting { $0.credentials = source }) { request, _ in
      await Task.yield()
      return Self.header(request) == "Bearer token-2" ? ScriptedAnswer(404) : ScriptedAnswer(401)
    }
    let ids = (0..<50).map { ProjectID(trusted: "p\($0)") }
    let outcomes = try await scripted.remote.fetch(ids)
    #expect(outcomes.allSatisfy { $0 == .absent })
    #expect(source.asked.withLock { $0 } == 2)
  }

  @Test("a credential that is refused again ends the run")
  func refusedAgain() async throws {
    let source = CountingSource()
    let scripted = try Scripted(change: .setting { $0.credentials = source }) { _, _ in
      ScriptedAnswer(401)
    }
    #expect(await scripted.listingError()?.code == .unauthorized)
    #expect(scripted.transport.requests.count == 2)
  }

  @Test(
    "credentials do not go over plain http, but to loopback",
    arguments: [
      ("http://h.example/p", false, false), ("http://h.example/p", true, true),
      ("https://h.example/p", false, true), ("http://127.0.0.1:8383/p", false, true),
      ("http://[::1]/p", false, true), ("http://localhost/p", false, true),
      ("unix:/run/s.sock:/p", false, true), ("http://127.0.0.1.example/p", false, false),
    ])
  func plainHTTP(_ url: String, _ allows: Bool, _ goes: Bool) async throws {
    for header in [true, false] {
      let change = Scripted.Change.setting { options in
        options.allowsInsecure = allows
        if header {
          options.credentials = Authorization.bearer("t0k3n")
        } else {
          options.headers = ["X-Api-Key": "t0k3n"]
        }
      }
      let scripted = try Scripted(url: url, change: change) { _, _ in .json("[]") }
      if goes {
        #expect(try await scripted.remote.entries() == [])
      } else {
        #expect(await scripted.listingError()?.code == .configuration)
        #expect(scripted.transport.requests.isEmpty)
      }
    }
  }

  @Test(
    "a header of the user's is a secret, unless it is known to be none",
    arguments: [
      ("X-Tenant", "north", true), ("Api", "k3y5", true), ("X-Auth", "s3cr3t", true),
      ("Accept-Language", "de-DE", false), ("prefer", "return=minimal", false),
      ("Content-Profile", "board", false), ("X-Api-Version", "2", false),
    ])
  func headers(_ name: String, _ value: String, _ isSecret: Bool) async throws {
    let change = Scripted.Change.setting { $0.headers[name] = value }
    let scripted = try Scripted(url: "http://h.example/p", change: change) { _, _ in
      .json("[]")
    }
    if isSecret {
      #expect(await scripted.listingError()?.code == .configuration)
      #expect(scripted.transport.requests.isEmpty)
    } else {
      #expect(try await scripted.remote.entries() == [])
    }
    let repeating = try Scripted(change: change) { _, _ in
      ScriptedAnswer(404, body: "no \(value) here", type: "text/plain")
    }
    let message = await repeating.listingError()?.message ?? ""
    #expect(message.contains("no \(value) here") == !isSecret, "\(message)")
  }

  @Test("no credentials are needed over plain http")
  func noCredentials() async throws {
    let scripted = try Scripted(url: "http://h.example/p") { _, _ in .json("[]") }
    #expect(try await scripted.remote.entries() == [])
  }

  @Test("each scheme makes its header")
  func schemes() async throws {
    let basic = try await Authorization.basic(user: "Aladdin", password: "open sesame")
      .authorization(fresh: false)
    #expect(basic?.value == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    let bearer = try await Authorization.bearer(" t0k3n \n").authorization(fresh: false)
    #expect(bearer?.value == "Bearer t0k3n")
    let header = try await Authorization.header("X-Api-Key", "k").authorization(fresh: false)
    #expect(header?.name == "X-Api-Key")
    #expect(try await Authorization.none.authorization(fresh: false) == nil)
  }

  @Test("a secret appears in no description")
  func descriptions() async throws {
    let authorization = Authorization.bearer("s3cr3t")
    var dumped = "\(authorization) \(Secret.text("s3cr3t"))"
    dump(authorization, to: &dumped)
    dump(try await authorization.authorization(fresh: false), to: &dumped)
    var options = RemoteOptions(url: "https://h/p")
    options.credentials = authorization
    dump(options, to: &dumped)
    #expect(!dumped.contains("s3cr3t"))
    #expect("\(Secret.command(["pass", "s3cr3t"]))" == "the command pass")
  }

  @Test(
    "a credential that is empty, missing or holds a line break is refused",
    arguments: [
      Secret.text(""), .text(" \n"), .text("a\nb"), .environment("SYNCD_NO_SUCH_VARIABLE"),
      .file("/nonexistent/token"), .systemd("../x"), .systemd("token"), .command([]),
      .command(["/nonexistent/command"]), .command(["false"]), .command(["true"]),
    ])
  func refused(_ secret: Secret) async throws {
    let error = await #expect(throws: SyncError.self) { _ = try await secret.reveal() }
    #expect(error?.code == .configuration)
  }

  @Test("a command's first line is the credential")
  func command() async throws {
    let line = try await Secret.command(["printf", "t0k3n\\nmore\\n"]).reveal()
    #expect(line == "t0k3n")
    let endless = try await Secret.command(["yes"]).reveal()
    #expect(endless == "y")
    #expect(Secret.command(["x"]).isRenewable)
    #expect(!Secret.text("x").isRenewable)
  }

  @Test("a command that takes too long is ended")
  func slowCommand() async throws {
    let command = CredentialCommand(["sh", "-c", "sleep 600 & wait"], limit: .milliseconds(200))
    let error = await #expect(throws: SyncError.self) { _ = try await command.firstLine() }
    #expect(error?.message.contains("longer than") == true)
  }

  @Test("a command is ended when its task is cancelled")
  func cancelledCommand() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await CredentialCommand(["sleep", "600"]).firstLine()
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }
}
