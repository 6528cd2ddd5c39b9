import HTTPServer
import SyncKit
import TestSupport
import Testing

@testable import syncd

@Suite("The events of the control API", .timeLimit(.minutes(3)))
struct ControlEventsTests {
  let control: Controlled

  init() throws { control = try Controlled() }

  private func follow(_ id: String? = nil) async throws -> SocketClient {
    let client = try control.connect()
    client.request("GET", "/v1/events", id.map { ["Last-Event-ID": $0] } ?? [:])
    _ = try await client.read(until: "retry: 1000\n\n")
    return client
  }

  @Test("what happens is told as it does, to all who follow")
  func live() async throws {
    await control.tell(.state("probing"))
    let followers = try await times(5) { _ in try await follow() }
    await control.tell(.state("online"), .run(.progress(done: 1, of: 2)))
    for follower in followers {
      let text = try await follower.read(
        until: "\"of\":2,\"at\":\"2023-11-14T22:13:20.000000Z\"}\n\n")
      #expect(text.contains("id: e-2\nevent: state\ndata: {\"state\":\"online\","))
      #expect(text.contains("id: e-3\nevent: progress\ndata: {\"done\":1,"))
      #expect(!text.contains("probing"))
    }
  }

  @Test("every event is an object, of a type of its own")
  func kinds() {
    let events: [ControlEvent] = [
      .state("online"), .paused(until: nil), .paused(until: FakeService.start),
      .run(.started(.push)), .run(.listing(entries: 1)), .run(.planned(operations: 2)),
      .run(.progress(done: 1, of: 2)), .run(.warning("\"\n")),
      .run(.finished(SyncReport(direction: .both))),
    ]
    for event in events {
      let json = event.json(at: FakeService.start).description
      #expect(json.hasPrefix("{\"") && json.hasSuffix(",\"at\":\"2023-11-14T22:13:20.000000Z\"}"))
      #expect(!json.contains("\n"))
    }
    #expect(Set(events.map(\.name)).count == 8)
  }

  @Test("who comes back goes on where it was, and nothing comes twice")
  func resumed() async throws {
    for number in 1...5 { await control.tell(.run(.listing(entries: number))) }
    let follower = try await follow("e-3")
    await control.tell(.run(.listing(entries: 6)))
    let text = try await follower.read(until: "\"entries\":6,")
    let ids = text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
      .filter { $0.hasPrefix("id: ") }
    #expect(ids == ["id: e-4", "id: e-5", "id: e-6"])
    #expect(!text.contains("lost"))
  }

  @Test(
    "who comes back to another service is told that something is missing",
    arguments: ["d-3", "e-9", "e-", "e--1", "e-99999999999999999999", "", "x", "e-1-1", "é"])
  func restarted(_ id: String) async throws {
    await control.tell(.state("online"))
    let text = try await follow(id).read(until: "online")
    #expect(text.contains("event: lost\ndata: {\"events\":null}\n\n"))
    #expect(text.contains("id: e-1\n"))
  }

  @Test("more followers than may are told to come back later, the others go on")
  func tooMany() async throws {
    let followers = try await times(ControlServer.followers) { _ in try await follow() }
    let answer = try await control.ask("GET", "/v1/events")
    #expect(answer.status == 503)
    #expect(answer.text.contains("Retry-After: 30"))
    #expect(try await control.ask("GET", "/v1/status").status == 200)
    await control.tell(.state("offline"))
    for follower in followers { _ = try await follower.read(until: "offline") }
  }
}

@Suite("The ring of events")
struct EventRingTests {
  private func text(_ replay: EventRing.Replay) -> [String] {
    replay.events.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("the last events are kept, and how many are missing is known")
  func gaps() {
    var ring = EventRing(epoch: "e", capacity: 3)
    #expect(ring.after("e-0") == .init(events: [], lost: 0))
    for number in 1...5 { _ = ring.append("n", data: "\(number)") }
    #expect(text(ring.after("e-5")) == [])
    #expect(ring.after("e-5").isWhole)
    #expect(text(ring.after("e-4")) == ["id: e-5\nevent: n\ndata: 5\n\n"])
    #expect(ring.after("e-2").events.count == 3)
    #expect(ring.after("e-2").isWhole)
    #expect(ring.after("e-1").events.count == 3)
    #expect(ring.after("e-1").lost == 1)
    #expect(ring.after("e-0").lost == 2)
    #expect(ring.after("e-6").lost == nil)
    #expect(ring.after("f-5").lost == nil)
  }

  @Test("large events push older ones out, the newest stays")
  func bytes() {
    var ring = EventRing(epoch: "e", capacity: 100, maximumBytes: 1000)
    for _ in 0..<50 { _ = ring.append("n", data: String(repeating: "x", count: 300)) }
    #expect(ring.after("e-0").events.count == 3)
    #expect(ring.after("e-0").lost == 47)
    _ = ring.append("n", data: String(repeating: "x", count: 3000))
    #expect(ring.after("e-50").events.count == 1)
    #expect(ring.after("e-49").lost == 1)
  }
}
