internal import HTTPServer
internal import SyncKit
import Synchronization

extension Service {
  /// `GET /v1/projects/events`: says that something changed, as it does.
  ///
  /// The first event comes at once, so that no change is missed between a listing and this; only
  /// where `Last-Event-ID` names the last change there was, there is nothing to say yet.
  func events(_ request: Request, in space: String) throws -> Response {
    var response = Response(200, type: "text/event-stream", body: [])
      .adding("Cache-Control", "no-store")
    if request.method == "HEAD" { return response }
    let known = request.field("Last-Event-ID")
    let follower = try announcements.follow(space) { [gate] in
      gate.stillAdmits(request, to: space)
    }
    do {
      let now = try read(space) { _, space in space }
      let event = known == String(now.sequence) ? [] : Announcements.event(now)
      follower.putUnlessWaiting(EventText.retry(milliseconds: 1000) + event)
    } catch {
      follower.end()
      throw error
    }
    response.body = .events(follower)
    return response
  }
}

/// Tells those who follow a space that something in it changed.
final class Announcements: Sendable {
  private let feed: EventFeed
  /// The last change that was announced, by space: writers may come here in another order than
  /// that of their commits.
  private let announced = Mutex<[String: Int64]>([:])

  /// The time between two heartbeats.
  static let heartbeat: Duration = .seconds(20)

  init(limit: Int, clock: any Clock<Duration>) {
    feed = EventFeed(limit: limit, heartbeat: Self.heartbeat, clock: clock)
  }

  /// - Throws: `Problem` 503.
  func follow(
    _ space: String, isWelcome: @escaping @Sendable () -> Bool
  ) throws(Problem) -> FeedFollower {
    // Whoever hears of the newest change has heard of those before it.
    let bounds = FeedFollower.Bounds(events: 1) { count in
      EventText.comment("the next event stands for \(count) more")
    }
    return try feed.follow(space, bounds: bounds, isWelcome: isWelcome)
  }

  func announce(_ space: Space) {
    announced.withLock { announced in
      guard space.sequence > announced[space.name] ?? -1 else { return }
      announced[space.name] = space.sequence
      if feed.hasFollowers(space.name) { feed.publish(Self.event(space), to: space.name) }
    }
  }

  func close() {
    feed.close()
  }

  static func event(_ space: Space) -> [UInt8] {
    var data: [UInt8] = []
    data.append(json: "{")
    data.appendMember("version", string: space.tag, first: true)
    data.append(json: "}")
    return EventText.event(
      "changed", id: String(space.sequence), data: String(decoding: data, as: UTF8.self))
  }
}
