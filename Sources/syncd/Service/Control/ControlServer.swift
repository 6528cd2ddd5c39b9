import HTTPServer
import SyncKit
import Synchronization

/// Answers those who ask a running service, over HTTP. `docs/control.md` is its contract.
final class ControlServer: Sendable {
  let control: any ServiceControl
  let now: @Sendable () -> Timestamp
  let feed: EventFeed
  /// The lock also keeps events in their order on their way to those who follow.
  let ring: Mutex<EventRing>
  let counted = Mutex(ServiceMetrics())
  private let daemons = Mutex<[Daemon]>([])
  private let follower = Mutex<Task<Void, Never>?>(nil)

  /// The most bytes of a request's body.
  static let bodyLimit = 64 << 10
  /// The most clients that may follow the events at once.
  static let followers = 32

  /// Follows the service from now on; answers nobody before `listen`.
  init(
    _ control: any ServiceControl,
    epoch: String = String(UInt32.random(in: 1...UInt32.max), radix: 16),
    clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Timestamp = { .now }
  ) {
    self.control = control
    self.now = now
    feed = EventFeed(limit: Self.followers, clock: clock)
    ring = Mutex(EventRing(epoch: epoch))
    let events = control.events()
    let task = Task { [weak self] in
      for await event in events { self?.take(event) }
    }
    follower.withLock { $0 = task }
  }

  /// Answers on this socket too, which is the server's from now on.
  ///
  /// - Parameter offer: everything only where nobody but the service's owner can ask.
  /// - Throws: `ListenError`.
  func listen(on socket: ListenSocket, offering offer: ControlRoute.Offer) throws(ListenError) {
    let endpoint = ControlEndpoint(self, offer: offer)
    let daemon = try Daemon(socket: socket, service: endpoint, limits: DaemonLimits())
    daemons.withLock { $0.append(daemon) }
  }

  /// Ends every answer, also those of events, and removes the socket's file. Returns when nobody is
  /// answered any more.
  func stop() {
    follower.withLock { $0 }?.cancel()
    feed.close()
    let daemons = daemons.withLock { daemons in
      defer { daemons = [] }
      return daemons
    }
    for daemon in daemons { daemon.stop() }
  }

  private func take(_ event: ControlEvent) {
    if case .run(.finished(let report)) = event { counted.withLock { $0.count(report) } }
    let data = event.json(at: now()).description
    ring.withLock { ring in
      feed.publish(ring.append(event.name, data: data), to: Self.topic)
    }
  }

  static let topic = ""

  deinit { stop() }
}

/// One of the sockets that a control server answers on.
private final class ControlEndpoint: HTTPService {
  let budget = BodyBudget(4 << 20)
  /// Weak, since the server holds the daemon that holds this.
  private weak let server: ControlServer?
  private let offer: ControlRoute.Offer

  init(_ server: ControlServer, offer: ControlRoute.Offer) {
    self.server = server
    self.offer = offer
  }

  func admit(_ request: Request) -> Intake {
    do {
      let (route, _) = try ControlRoute.find(request, offer: offer)
      let limit = ControlServer.bodyLimit
      if let length = request.declaredLength, length > limit {
        throw Problem.bodyTooLarge(limit: limit)
      }
      return .gathering(
        limit: route.method == "GET" ? nil : limit, .later { [self] in await answer($0) })
    } catch {
      return .draining((error as? Problem ?? Problem(500, "\(error)")).response)
    }
  }

  private func answer(_ request: Request) async -> Response {
    do {
      let (route, found) = try ControlRoute.find(request, offer: offer)
      guard let server else { throw CancellationError() }
      return try await route.answer(server, found)
    } catch let problem as Problem {
      return problem.response
    } catch {
      return Problem(error).response
    }
  }

  func count(_ request: Request, _ response: Response) {}
}

extension Problem {
  /// What the service could not do, in its own words.
  fileprivate init(_ error: any Error) {
    switch (error as? SyncError)?.code {
    case .notFound: self.init(404, "\(error)")
    case .invalidInput: self.init(422, "\(error)")
    case .locked, .offline:
      self = Problem(503, "\(error)").adding("Retry-After", "5")
    case _ where error is CancellationError:
      self = Problem(503, "the service is stopping").adding("Retry-After", "5")
    default: self.init(500, "\(error)")
    }
  }
}
