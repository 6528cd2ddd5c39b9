import HTTPServer
import SyncKit
import Synchronization
import TestSupport
import Testing

@testable import syncd

@Suite("The control API", .timeLimit(.minutes(3)))
struct ControlServerTests {
  let control: Controlled

  init() throws { control = try Controlled() }

  private static func setAside(_ id: String) -> SetAside {
    SetAside(
      id: id, action: "update", status: 422, message: "no", since: FakeService.start)
  }

  @Test("status is what the service says of itself")
  func status() async throws {
    let answer = try await control.ask("GET", "/v1/status")
    #expect(answer.status == 200)
    #expect(answer.text.contains("Content-Type: application/json"))
    #expect(answer.text.hasSuffix("{\"pending\":3}"))
    #expect(try await control.ask("HEAD", "/v1/status").status == 200)
  }

  @Test("sync asks and returns, or waits for the run")
  func sync() async throws {
    #expect(try await control.ask("POST", "/v1/sync").status == 202)
    let answer = try await control.ask("POST", "/v1/sync", "{\"retryFailed\":true}")
    #expect(answer.status == 202 && answer.text.hasSuffix("{}"))

    control.service.state.withLock { $0.holdsRuns = true }
    let client = try control.connect()
    client.request("POST", "/v1/sync", body: "{\"wait\": true}")
    #expect(await eventually { control.service.asked.contains("synchronize false") })
    // Others are answered meanwhile.
    #expect(try await control.ask("GET", "/v1/status").status == 200)
    control.service.finishRuns()
    let text = try await client.readToEnd()
    #expect(text.hasPrefix("HTTP/1.1 200"))
    #expect(text.contains("{\"outcome\":\"inSync\""))
    #expect(
      control.service.asked == [
        "request false", "request true", "synchronize false", "status",
      ])
  }

  @Test("many may wait for runs, and more than there are threads")
  func waiters() async throws {
    control.service.state.withLock { $0.holdsRuns = true }
    let clients = try (0..<10).map { _ in
      let client = try control.connect()
      client.request("POST", "/v1/sync", body: "{\"wait\":true}")
      return client
    }
    #expect(await eventually { control.service.state.withLock { $0.waiters.count } == 10 })
    control.service.finishRuns()
    for client in clients { #expect(try await client.readToEnd().contains("inSync")) }
  }

  @Test("pause says until when, resume says what follows")
  func pause() async throws {
    let hours = try await control.ask("POST", "/v1/pause", "{\"for\":\"2h\"}")
    #expect(
      hours.text.hasSuffix("{\"state\":\"paused\",\"until\":\"2023-11-15T00:13:20.000000Z\"}"))
    #expect(try await control.ask("POST", "/v1/pause").text.hasSuffix("\"until\":null}"))
    #expect(try await control.ask("POST", "/v1/pause", "{\"for\":null}").status == 200)
    #expect(try await control.ask("POST", "/v1/pause", "{\"for\":\"soon\"}").status == 400)
    #expect(try await control.ask("POST", "/v1/resume").text.hasSuffix("{\"state\":\"online\"}"))
    #expect(control.service.asked == ["pause 7200", "pause -", "pause -", "resume"])
  }

  @Test("records that were set aside are listed, tried again and dropped, whatever they are called")
  func setAside() async throws {
    let ids = ["a", "a/b", "..", "é", "a?b#c", "%2F"]
    control.service.state.withLock { $0.setAside = ids.map(Self.setAside) }
    let list = try await control.ask("GET", "/v1/set-aside").text
    #expect(list.contains("[{\"id\":\"a\",\"action\":\"update\",\"status\":422,\"message\":\"no\""))
    for (id, path) in zip(ids, ["a", "a%2Fb", "..", "%C3%A9", "a%3Fb%23c", "%252F"]) {
      #expect(try await control.ask("POST", "/v1/set-aside/\(path)/retry").status == 202, "\(id)")
      #expect(try await control.ask("DELETE", "/v1/set-aside/\(path)").status == 204, "\(id)")
      #expect(try await control.ask("DELETE", "/v1/set-aside/\(path)").status == 404, "\(id)")
    }
    #expect(try await control.ask("GET", "/v1/set-aside").text.hasSuffix("\r\n\r\n[]"))
  }

  @Test(
    "every refusal is a problem that says its status",
    arguments: [
      ("GET", "/", 404), ("GET", "/v2/status", 404), ("GET", "/v1/status/", 404),
      ("GET", "/v1//status", 404), ("GET", "/v1/set-aside//retry", 404), ("GET", "*", 404),
      ("GET", "/v1/stat%00us", 404), ("GET", "/v1/%ZZ", 400), ("GET", "/v1/%FF", 400),
      ("GET", "/v1/status?a=%00%F", 400), ("POST", "/v1/set-aside/%00/retry", 404),
      ("DELETE", "/v1/set-aside/%00", 404), ("GET", "/healthz?older-than=x", 400),
      ("GET", "/healthz?older-than=1h&older-than=2h", 400), ("PUT", "/v1/status", 405),
      ("GET", "/v1/sync", 405), ("GET", "/v1/set-aside/a/retry", 405), ("PATCH", "/metrics", 405),
    ])
  func refusals(_ method: String, _ target: String, _ status: Int) async throws {
    let answer = try await control.ask(method, target)
    #expect(answer.status == status)
    #expect(answer.text.contains("Content-Type: application/problem+json"))
    #expect(answer.text.contains("\"status\":\(status)"))
    #expect(answer.text.contains("\r\nAllow: ") == (status == 405))
  }

  @Test("a method that is not known names those that are")
  func allowed() async throws {
    for (path, allow) in [
      ("/v1/status", "GET, HEAD"), ("/v1/sync", "POST"), ("/v1/set-aside/a", "DELETE"),
    ] {
      #expect(try await control.ask("TRACE", path).text.contains("Allow: \(allow)\r\n"))
    }
  }

  @Test(
    "a body that is no JSON object of options is refused, and nothing is done",
    arguments: [
      "{", "[]", "null", "7", "\"x\"", "{\"wait\":1}", "{\"wait\":\"true\"}", "{}{}", "\u{0}",
      String(repeating: "[", count: 60_000), String(repeating: "{\"a\":", count: 10_000),
    ])
  func badJSON(_ body: String) async throws {
    let answer = try await control.ask("POST", "/v1/sync", body)
    #expect(answer.status == 400)
    #expect(answer.text.contains("application/problem+json"))
    #expect(control.service.asked.isEmpty)
  }

  @Test("a body over 64 kB is refused, told ahead or found on the way")
  func hugeBody() async throws {
    let large = String(repeating: " ", count: (64 << 10) + 1)
    #expect(try await control.ask("POST", "/v1/sync", large).status == 413)
    #expect(try await control.ask("GET", "/v1/status", large).status == 413)
    #expect(
      try await control.ask("POST", "/v1/sync", String(large.dropFirst(3)) + "{}").status == 202)
    let client = try control.connect()
    client.send(
      "POST /v1/sync HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "\(String(large.utf8.count, radix: 16))\r\n\(large)\r\n0\r\n\r\n")
    #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 413"))
    let far = try control.connect()
    far.send(
      "POST /v1/sync HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        + "Content-Length: 9223372036854775807\r\n\r\n")
    #expect(try await far.readToEnd().hasPrefix("HTTP/1.1 413"))
    #expect(control.service.asked == ["request false"])
  }

  @Test("half requests, and what is no request, leave the others their answers")
  func halfRequests() async throws {
    let halves = try [
      "", "G", "GET /v1/status HTTP/1.1\r\nHost: x\r\n",
      "POST /v1/sync HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{", "\r\n\r\n\u{0}\u{1}",
    ].map { text in
      let client = try control.connect()
      client.send(text)
      return client
    }
    #expect(try await control.ask("GET", "/v1/status").status == 200)
    for half in halves { half.leave() }
    #expect(try await control.ask("GET", "/v1/status").status == 200)
    #expect(control.service.asked == ["status", "status"])
  }

  @Test("what the service cannot do is said in its words")
  func failures() async throws {
    for (code, status) in [
      (SyncError.Code.store, 500), (.locked, 503), (.offline, 503), (.notFound, 404),
      (.invalidInput, 422),
    ] {
      control.service.state.withLock { $0.failure = SyncError(code, "the words") }
      let answer = try await control.ask("GET", "/v1/status")
      #expect(answer.status == status)
      #expect(answer.text.contains("\"detail\":\"the words\""))
    }
  }

  @Test("where others may ask, they hear how the service is and change nothing")
  func monitoring() async throws {
    let path = control.folder.file("monitor.sock")
    try control.server.listen(on: ListenSocket(unix: path), offering: .monitoring)
    for (target, status) in [
      ("/healthz", 200), ("/metrics", 200), ("/v1/status", 404), ("/v1/set-aside", 404),
      ("/v1/events", 404),
    ] {
      let client = try SocketClient(file: path)
      client.request("GET", target)
      #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 \(status)"))
    }
    let client = try SocketClient(file: path)
    client.request("POST", "/v1/sync")
    #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 404"))
  }

  @Test("a server that stops closes everything and takes its file along")
  func stop() async throws {
    let client = try control.connect()
    client.request("GET", "/v1/events")
    _ = try await client.read(until: "retry: 1000\n\n")
    control.server.stop()
    _ = try await client.readToEnd()
    #expect(try control.folder.names("").isEmpty)
  }
}
