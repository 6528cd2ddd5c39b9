import SyncServer
import TestSupport
import Testing

@testable import SyncKit

@Suite("Notifications of a syncd remote", .timeLimit(.minutes(3)))
struct NotificationTests {
  /// A remote before this server, which has said what it offers.
  private static func remote(
    _ url: String, _ dialect: RemoteOptions.Dialect = .auto, concurrency: Int = 8
  ) async throws -> any RemoteStore {
    var options = RemoteOptions(url: url)
    options.dialect = dialect
    options.concurrency = concurrency
    var transport = CurlTransport.Options()
    transport.concurrency = concurrency
    let remote = try makeRemote(
      options, transport: CurlTransport(transport), clock: JumpingClock(), random: { 0.5 })
    _ = try await remote.list(since: nil) { _ in }
    return remote
  }

  private static func serve() throws -> SyncServer {
    var options = SyncServer.Options(storePath: ":memory:")
    options.listen = "127.0.0.1:0"
    return try SyncServer(options)
  }

  /// A server whose events are this script.
  private static func wire(_ events: WireScript, capabilities: String = "1; events") throws
    -> WireServer
  {
    try WireServer { request in
      request.path == "/events"
        ? events
        : .json("[]", headers: ["Syncd-Capabilities": capabilities, "ETag": "\"1\""])
    }
  }

  private static let eventHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

  /// What a stream brings until it ends, and why it ends.
  private static func collect(
    _ stream: AsyncThrowingStream<RemoteNotification, any Error>
  ) async -> (versions: [CollectionVersion?], error: SyncError?) {
    var versions: [CollectionVersion?] = []
    do {
      for try await notification in stream { versions.append(notification.version) }
    } catch {
      return (versions, error as? SyncError)
    }
    return (versions, nil)
  }

  @Test(
    "each change is told with the collection's version, the first one at once",
    arguments: [RemoteOptions.Dialect.auto, .syncd])
  func versions(_ dialect: RemoteOptions.Dialect) async throws {
    let server = try Self.serve()
    defer { server.stop() }
    let remote = try await Self.remote(server.url, dialect)
    var notifications = try #require(await remote.notifications()).makeAsyncIterator()
    let first = try await notifications.next()
    #expect(try await remote.list(since: first?.version) { _ in }.isUnchanged)
    let other = try await Self.remote(server.url)
    let written = try await other.write([.put(.sample("a"), .absent)])
    #expect(try await notifications.next()?.version == written.version)
    #expect(written.version != nil && written.version != first?.version)
  }

  @Test("following takes none of the connections of other requests")
  func connections() async throws {
    let server = try Self.serve()
    defer { server.stop() }
    let remote = try await Self.remote(server.url, concurrency: 1)
    var notifications = try #require(await remote.notifications()).makeAsyncIterator()
    _ = try await notifications.next()
    for name in ["a", "b", "c"] {
      let written = try await remote.write([.put(.sample(name), .absent)])
      #expect(try await notifications.next()?.version == written.version)
    }
  }

  @Test("a server that stops, or connections that are given up, end the stream as offline")
  func lost() async throws {
    let server = try Self.serve()
    let remote = try await Self.remote(server.url)
    for end in [{ server.stop() }, { remote.closeIdleConnections() }].reversed() {
      let stream = try #require(await remote.notifications())
      var notifications = stream.makeAsyncIterator()
      _ = try await notifications.next()
      end()
      let error = await #expect(throws: SyncError.self) { _ = try await notifications.next() }
      #expect(error?.code == .offline)
    }
  }

  @Test("a remote that announces no events, or has not answered yet, offers none")
  func notOffered() async throws {
    let plain = try Self.wire(.response(200), capabilities: "1; changes")
    #expect(await (try Self.remote(plain.url)).notifications() == nil)
    let server = try Self.wire(.response(200))
    let remote = try makeRemote(RemoteOptions(url: server.url), transport: CurlTransport())
    #expect(await remote.notifications() == nil)
  }

  @Test(
    "what is no stream of events is not one",
    arguments: [
      (WireScript.json("{\"id\":\"events\"}"), SyncError.Code.protocolViolation),
      (.response(404), .protocolViolation), (.response(501), .offline), (.response(503), .offline),
      (.response(401), .unauthorized), (.redirect(to: "http://127.0.0.2/"), .protocolViolation),
      (
        .raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9\r\n\r\n")
          + [.close], .offline
      ),
    ])
  func noEvents(_ script: WireScript, _ code: SyncError.Code) async throws {
    let server = try Self.wire(script)
    let stream = try #require(await (try Self.remote(server.url)).notifications())
    let (versions, error) = await Self.collect(stream)
    #expect(versions.isEmpty)
    #expect(error?.code == code)
    #expect(server.requests.filter { $0.path == "/events" }.count == 1)
  }

  @Test("events of other kinds are passed over; one that says no version is one all the same")
  func strangeEvents() async throws {
    let text = """
      event: other\ndata: {"version":"x"}\n\nevent: changed\ndata: nonsense\n\n
      """
    let server = try Self.wire(.raw(Self.eventHead + text + "\n") + [.close])
    let stream = try #require(await (try Self.remote(server.url)).notifications())
    let (versions, error) = await Self.collect(stream)
    #expect(versions == [nil])
    #expect(error?.code == .offline)
  }

  @Test("an event without end is given up in bounded memory")
  func endless() async throws {
    let piece = "data: " + String(repeating: "x", count: 80_000)
    let server = try Self.wire(.raw(Self.eventHead + piece) + [.waitForClose])
    let stream = try #require(await (try Self.remote(server.url)).notifications())
    #expect(await Self.collect(stream).error?.code == .protocolViolation)
  }

  @Test("who stops listening ends the request")
  func cancelling() async throws {
    let server = try Self.wire(
      .raw(Self.eventHead + "event: changed\ndata: {}\n\n") + [.waitForClose])
    let remote = try await Self.remote(server.url)
    let before: Int
    do {
      var notifications = try #require(await remote.notifications()).makeAsyncIterator()
      #expect(try await notifications.next() != nil)
      before = server.openConnections
    }
    #expect(await server.wait { $0.openConnections == before - 1 })
  }
}
