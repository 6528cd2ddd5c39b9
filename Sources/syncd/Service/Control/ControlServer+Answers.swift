import HTTPServer
import SyncKit
import Synchronization

extension ControlServer {
  private static func json(_ text: JSONText, status: Int = 200) -> Response {
    Response(status, type: "application/json", body: Array(text.description.utf8))
      .adding("Cache-Control", "no-store")
  }

  // MARK: What the service is asked to do

  func status() async throws -> Response { Self.json(try await control.status()) }

  func sync(_ request: ControlRequest) async throws -> Response {
    struct Options: Decodable {
      var wait: Bool?
      var retryFailed: Bool?
    }
    let options = try request.options(Options.self)
    let retryFailed = options.retryFailed ?? false
    guard options.wait == true else {
      await control.requestSync(retryFailed: retryFailed)
      return Self.json(.object([:]), status: 202)
    }
    let report = try await control.synchronize(retryFailed: retryFailed)
    return Self.json(.raw(report.json))
  }

  func pause(_ request: ControlRequest) async throws -> Response {
    struct Options: Decodable {
      var `for`: String?
    }
    let options = try request.options(Options.self)
    var duration: Duration?
    if let text = options.for { duration = try ControlRequest.duration(text, "for") }
    let until = await control.pause(for: duration)
    return Self.json(
      .object(["state": .string("paused"), "until": .string(until?.description)]))
  }

  func resume() async -> Response {
    Self.json(.object(["state": .string(await control.resume())]))
  }

  // MARK: Records that were set aside

  func setAside() async throws -> Response {
    Self.json(.array(try await control.setAside().map(\.json)))
  }

  func retry(_ request: ControlRequest) async throws -> Response {
    guard try await control.retrySetAside(request.id) else { throw Self.notSetAside }
    return Self.json(.object([:]), status: 202)
  }

  func drop(_ request: ControlRequest) async throws -> Response {
    guard try await control.dropSetAside(request.id) else { throw Self.notSetAside }
    return Response(204)
  }

  private static let notSetAside = Problem(404, "no record of this id is set aside")

  // MARK: How the service is

  func metrics() async throws -> Response {
    let gauges = try await control.gauges()
    let text = counted.withLock { $0.text(gauges) }
    return Response(200, type: PrometheusText.mediaType, body: Array(text.utf8))
      .adding("Cache-Control", "no-store")
  }

  func health(_ request: ControlRequest) async throws -> Response {
    let limit = try request.duration("older-than")
    let gauges = try await control.gauges()
    let age = (gauges.lastSuccess ?? gauges.startedAt).age(at: now())
    guard age <= limit ?? gauges.interval * 4 else {
      throw Problem(
        503,
        gauges.lastSuccess == nil
          ? "there was no successful run in \(age.rough)"
          : "the last successful run was \(age.rough) ago")
    }
    return Self.json(
      .object([
        "status": .string("ok"), "state": .string(gauges.state),
        "lastSuccess": .string(gauges.lastSuccess?.description),
      ]))
  }

  // MARK: Events

  /// What happens from now on; after `Last-Event-ID` where that is said.
  func events(_ request: ControlRequest) throws -> Response {
    var response = Response(200, type: "text/event-stream", body: [])
      .adding("Cache-Control", "no-store")
    if request.request.method == "HEAD" { return response }
    let known = request.request.field("Last-Event-ID")
    // Room for all that the ring may hold, beside what happens meanwhile.
    let bounds = FeedFollower.Bounds(
      events: EventRing.capacity + 256, bytes: EventRing.maximumBytes + 1 << 20,
      lost: { Self.lost($0) })
    let follower = try ring.withLock { ring in
      let follower = try feed.follow(Self.topic, bounds: bounds)
      follower.put(EventText.retry(milliseconds: 1000))
      guard let known else { return follower }
      let replay = ring.after(known)
      if !replay.isWhole { follower.put(Self.lost(replay.lost)) }
      for event in replay.events { follower.put(event) }
      return follower
    }
    response.body = .events(follower)
    return response
  }

  /// - Parameter count: nil where nobody knows how many.
  private static func lost(_ count: Int?) -> [UInt8] {
    let data = JSONText.object(["events": count.map { .number($0) } ?? .null])
    return EventText.event("lost", data: data.description)
  }
}
