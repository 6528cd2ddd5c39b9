internal import HTTPServer
internal import SyncKit
import Synchronization

/// Everything behind the HTTP daemon: who may ask, where a request goes, what is counted.
final class Service: HTTPService {
  let store: ProjectStore
  let gate: Gate
  let limits: SyncServer.Limits
  let budget: BodyBudget
  let metrics = Metrics()
  let announcements: Announcements
  let onTrouble: @Sendable (String) -> Void

  init(store: ProjectStore, gate: Gate, options: SyncServer.Options) {
    self.store = store
    self.gate = gate
    limits = options.limits
    budget = BodyBudget(options.limits.bodyBytesHeld)
    onTrouble = options.onTrouble
    announcements = Announcements(limit: options.limits.followers, clock: options.heartbeatClock)
  }

  /// Decides on the head alone whether and how the body is taken.
  func admit(_ request: Request) -> Intake {
    do {
      try checkHead(request)
      let route = try Route(request)
      let caller = try gate.admit(request, to: route)
      let limit = bodyLimit(of: route, request.method)
      if let limit {
        try checkBody(request, of: route, limit: limit, namesType: caller.key.isEmpty)
      }
      // Who writes waits for the disk, and without a thread; who reads is answered at once.
      return .gathering(
        limit: limit,
        route.writes(request.method)
          ? .whenDone { [self] in write($0, to: route, in: caller.space, done: $1) }
          : .now { [self] in answer($0, to: route, in: caller.space) })
    } catch {
      return .draining(refusal(error))
    }
  }

  private func answer(_ request: Request, to route: Route, in space: String) -> Response {
    do {
      switch route {
      case .health: return health()
      case .metrics: return try metricsText(space: space)
      // A batch is written.
      case .collection, .batch: return try list(request, in: space)
      case .record(let id): return try record(id, request, in: space)
      case .fetch: return try fetch(request, in: space)
      case .changes: return try changes(request, in: space)
      case .events: return try events(request, in: space)
      case .compare: return try compare(request, in: space)
      }
    } catch {
      return refusal(error)
    }
  }

  private func write(
    _ request: Request, to route: Route, in space: String,
    done: @escaping @Sendable (Response) -> Void
  ) {
    let answer = { @Sendable [self] (result: Result<Response, any Error>) in
      do { done(try result.get()) } catch { done(refusal(error)) }
    }
    do {
      switch route {
      case .record(let id): try change(id, request, in: space, done: answer)
      case .batch: try batch(request, in: space, done: answer)
      default: done(self.answer(request, to: route, in: space))
      }
    } catch {
      done(refusal(error))
    }
  }

  func count(_ request: Request, _ response: Response) {
    metrics.count(method: request.method, status: response.status, received: request.body.count)
  }

  // MARK: The head

  private func checkHead(_ request: Request) throws(Problem) {
    if request.target.count > limits.targetBytes {
      throw Problem(414, "the target is longer than \(limits.targetBytes) bytes")
    }
    let size = request.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    if size > limits.headerBytes {
      throw Problem(431, "the header fields are larger than \(limits.headerBytes) bytes")
    }
    if request.target.brokenParameter {
      throw Problem(400, "the query holds a broken escape, or bytes that are not UTF-8")
    }
  }

  /// The largest body of a route's requests; nil where none is read.
  private func bodyLimit(of route: Route, _ method: String) -> Int? {
    switch route {
    case .record where method == "PUT": limits.recordBytes
    // A batch of one item may be as large as a record; its other members are few.
    case .batch: max(limits.batchBytes, limits.recordBytes + 1024)
    case .fetch, .compare: limits.batchBytes
    default: nil
    }
  }

  /// - Parameter namesType: whether the body's type has to be said. A web page may send what says none
  ///   without asking the server first.
  private func checkBody(
    _ request: Request, of route: Route, limit: Int, namesType: Bool
  ) throws(Problem) {
    if let length = request.declaredLength, length > limit { throw .bodyTooLarge(limit: limit) }
    if request.declaredLength == nil, request.field("Transfer-Encoding") == nil {
      throw Problem(411, "a body is expected here")
    }
    if let coding = request.field("Content-Encoding"), coding.lowercased() != "identity" {
      throw Problem(415, "a content coding is not understood here")
        .adding("Accept-Encoding", "identity")
    }
    let accepted = route.mediaTypes
    guard request.mediaType.map(accepted.contains) ?? !namesType else {
      throw Problem(415, "the body has to be \(accepted[0])").adding("Accept", accepted[0])
    }
  }

  private func refusal(_ error: any Error) -> Response {
    if let problem = error as? Problem { return problem.response }
    onTrouble("\(error)")
    let problem =
      switch (error as? DatabaseError)?.kind {
      case .busy: Problem(503, "the store is busy").adding("Retry-After", "1")
      case .full: Problem(507, "the store's disk is full")
      default: Problem(500, "the store cannot be read or written")
      }
    return problem.response
  }
}
