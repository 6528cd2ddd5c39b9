import HTTPServer
import SyncKit
import Synchronization
import TestSupport
import Testing

@testable import syncd

@Suite("Asking the running service", .timeLimit(.minutes(3)))
struct ControlClientTests {
  let control: Controlled

  init() throws { control = try Controlled() }

  private func error(_ body: () async throws -> Void) async -> SyncError? {
    do { try await body() } catch { return error as? SyncError }
    return nil
  }

  @Test("what is asked reaches the service, and its answers come back")
  func everything() async throws {
    let client = control.client
    control.service.state.withLock { state in
      state.setAside = ["a/b", "c"].map {
        SetAside(id: $0, action: "update", message: "no", since: FakeService.start)
      }
      state.report.outcome = .partial
      state.report.message = "1 record(s) failed"
    }
    #expect(try await client.status() == "{\"pending\":3}")
    try await client.requestSync()
    let report = try await client.synchronize(retryFailed: true)
    #expect(report.outcome == .partial)
    #expect(report.message == "1 record(s) failed")
    #expect(report.json == control.service.state.withLock { $0.report.json })
    #expect(try await client.pause(for: .seconds(60)) == "2023-11-14T22:14:20.000000Z")
    #expect(try await client.pause() == nil)
    #expect(try await client.resume() == "online")
    #expect(try await client.setAside().contains("\"id\":\"a/b\""))
    try await client.retrySetAside("a/b")
    try await client.dropSetAside("a/b")
    #expect(
      control.service.asked == [
        "status", "request false", "synchronize true", "pause 60", "pause -", "resume",
        "setAside", "retry a/b", "drop a/b",
      ])
    let missing = await error { try await client.dropSetAside("a/b") }
    #expect(missing?.code == .notFound)
    #expect(missing?.message == "no record of this id is set aside")
  }

  @Test("events come as they happen, and go on after the last that is known")
  func events() async throws {
    await control.tell(.state("probing"))
    var events = control.client.events(after: "e-0").makeAsyncIterator()
    let first = try await events.next()
    #expect(first?.name == "state")
    #expect(first?.id == "e-1")
    await control.tell(.run(.warning("line\nbreak")))
    let second = try await events.next()
    #expect(second?.name == "warning")
    #expect(second?.data.contains("\"message\":\"line\\nbreak\"") == true)
  }

  @Test("an end of the service ends the events, as offline or without a word")
  func ended() async throws {
    await control.tell(.state("online"))
    var events = control.client.events(after: "e-0").makeAsyncIterator()
    _ = try await events.next()
    control.server.stop()
    let error = await error { while try await events.next() != nil {} }
    #expect(error == nil || error?.code == .offline)
  }

  @Test("where no service answers, it is said how to start one")
  func noService() async throws {
    let path = control.folder.file("other.sock")
    let missing = await error { _ = try await ControlClient(path: path).status() }
    #expect(missing?.code == .offline)
    #expect(missing?.message == "no service answers at \(path); start it with: syncd run")
    control.server.stop()
    let stopped = await error { try await control.client.requestSync() }
    #expect(stopped?.message.hasPrefix("no service answers at ") == true)
    let stopped2 = await error { for try await _ in control.client.events() {} }
    #expect(stopped2?.code == .offline)
    try control.folder.write("", to: "file")
    let file = await error {
      _ = try await ControlClient(path: control.folder.file("file")).status()
    }
    #expect(file?.code == .offline)
    let relative = await error { _ = try await ControlClient(path: "control.sock").status() }
    #expect(relative?.code == .configuration)
  }

  @Test("answers of something else are not believed")
  func strange() async throws {
    let path = control.folder.file("other.sock")
    let server = try WireServer(file: path) { request in
      request.path == "/v1/sync" ? .json("{\"outcome\":\"new\",\"message\":\"\"}") : .json("[]")
    }
    let client = ControlClient(path: path)
    #expect(await error { _ = try await client.synchronize() }?.code == .protocolViolation)
    #expect(await error { _ = try await client.resume() }?.code == .protocolViolation)
    server.stop()
  }

  @Test("the words of a refusal are the service's")
  func refusals() async throws {
    control.service.state.withLock { $0.failure = SyncError(.locked, "another run holds it") }
    let refused = await error { _ = try await control.client.synchronize() }
    #expect(refused?.code == .offline)
    #expect(refused?.message == "another run holds it")
    let many = try await times(ControlServer.followers) { _ in
      let client = try control.connect()
      client.request("GET", "/v1/events")
      _ = try await client.read(until: "retry: 1000\n\n")
      return client
    }
    let full = await error { for try await _ in control.client.events() {} }
    #expect(full?.code == .offline)
    for client in many { client.leave() }
  }
}
