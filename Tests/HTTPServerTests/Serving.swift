import Synchronization
import TestSupport

@testable import HTTPServer

/// A daemon on a socket file, whose paths do what tests need.
final class Serving: HTTPService {
  let budget = BodyBudget(1 << 20)
  let feed: EventFeed
  let folder: TemporaryFolder
  /// What has been answered, by status.
  let counted = Mutex<[Int]>([])
  /// Opened to let `/later` go on.
  let latch = Latch()
  let cancelled = Mutex(0)
  private let daemon = Mutex<Daemon?>(nil)

  init(
    followers: Int = 8, clock: any Clock<Duration> = TestClock(),
    limits: DaemonLimits = DaemonLimits()
  ) throws {
    feed = EventFeed(limit: followers, clock: clock)
    folder = try TemporaryFolder()
    let started = try Daemon(
      socket: ListenSocket(unix: folder.file("s")), service: self, limits: limits)
    daemon.withLock { $0 = started }
  }

  deinit { stop() }

  func stop() { daemon.withLock { $0 }?.stop() }

  func client() throws -> SocketClient { try SocketClient(file: folder.file("s")) }

  /// A client that follows, once the server knows of it.
  func follower(
    _ topic: String = "events", connection: String = "close"
  ) async throws -> SocketClient {
    let client = try client()
    client.request("GET", "/\(topic)", ["Connection": connection])
    _ = try await client.read(until: ": hello\n\n")
    return client
  }

  // MARK: HTTPService

  func admit(_ request: Request) -> Intake {
    let path = request.target.segments.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    return switch path {
    case "now": .gathering(limit: nil, .now { _ in Response(200, type: "t/p", body: [0x6E]) })
    case "later":
      .gathering(
        limit: 100,
        .later { [self] request in
          await latch.wait()
          if Task.isCancelled { cancelled.withLock { $0 += 1 } }
          return Response(200, type: "t/p", body: request.body)
        })
    case "later-events":
      .gathering(limit: nil, .later { [self] _ in follow(path, FeedFollower.Bounds()) })
    case "small":
      .gathering(
        limit: nil,
        .now { [self] _ in
          follow(path, FeedFollower.Bounds(events: 3) { EventText.comment("lost \($0)") })
        })
    default:
      .gathering(limit: nil, .now { [self] _ in follow(path, FeedFollower.Bounds()) })
    }
  }

  private func follow(_ topic: String, _ bounds: FeedFollower.Bounds) -> Response {
    do {
      let follower = try feed.follow(topic, bounds: bounds)
      follower.put(EventText.comment("hello"))
      var response = Response(200, type: "text/event-stream", body: [])
      response.body = .events(follower)
      return response
    } catch {
      return error.response
    }
  }

  func count(_ request: Request, _ response: Response) {
    counted.withLock { $0.append(response.status) }
  }
}

/// Lets those through who wait for it, once it is open.
final class Latch: Sendable {
  private let state = Mutex((isOpen: false, waiters: [CheckedContinuation<Void, Never>]()))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
