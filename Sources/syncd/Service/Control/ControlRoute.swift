import HTTPServer
import SyncKit

/// One thing that can be asked of a running service.
struct ControlRoute: Sendable {
  /// Who may be asked what.
  enum Offer: Sendable {
    /// Everything; only for a socket that nobody else can use.
    case everything
    /// How the service is, and nothing that changes it.
    case monitoring
  }

  typealias Answer = @Sendable (ControlServer, ControlRequest) async throws -> Response

  let method: String
  /// Segments; `{id}` stands for any that is not empty.
  let path: [Substring]
  let isMonitoring: Bool
  let answer: Answer

  init(_ method: String, _ path: String, isMonitoring: Bool = false, _ answer: @escaping Answer) {
    self.method = method
    self.path = path.dropFirst().split(separator: "/")
    self.isMonitoring = isMonitoring
    self.answer = answer
  }

  static let table: [ControlRoute] = [
    ControlRoute("GET", "/v1/status") { server, _ in try await server.status() },
    ControlRoute("POST", "/v1/sync") { server, request in try await server.sync(request) },
    ControlRoute("POST", "/v1/pause") { server, request in try await server.pause(request) },
    ControlRoute("POST", "/v1/resume") { server, _ in await server.resume() },
    ControlRoute("GET", "/v1/events") { server, request in try server.events(request) },
    ControlRoute("GET", "/v1/set-aside") { server, _ in try await server.setAside() },
    ControlRoute("POST", "/v1/set-aside/{id}/retry") { server, request in
      try await server.retry(request)
    },
    ControlRoute("DELETE", "/v1/set-aside/{id}") { server, request in
      try await server.drop(request)
    },
    ControlRoute("GET", "/metrics", isMonitoring: true) { server, _ in
      try await server.metrics()
    },
    ControlRoute("GET", "/healthz", isMonitoring: true) { server, request in
      try await server.health(request)
    },
  ]

  /// The methods that the route answers to.
  private var methods: [String] { method == "GET" ? ["GET", "HEAD"] : [method] }

  /// Finds what answers a request.
  ///
  /// - Throws: `Problem` 400 for a path that cannot be read, 404, 405.
  static func find(
    _ request: Request, offer: Offer
  ) throws(Problem) -> (route: ControlRoute, request: ControlRequest) {
    if request.target.brokenParameter {
      throw Problem(400, "the query holds a broken escape, or bytes that are not UTF-8")
    }
    var segments: [String] = []
    for segment in request.target.segments {
      guard let text = PercentEncoding.decoded(segment) else {
        throw Problem(400, "the path holds a broken escape, or bytes that are not UTF-8")
      }
      segments.append(text)
    }
    let routes = table.filter { $0.isMonitoring || offer == .everything }
    let matching = routes.filter { $0.matches(segments) }
    guard !matching.isEmpty else { throw Problem(404, "nothing is served under this path") }
    guard let route = matching.first(where: { $0.methods.contains(request.method) }) else {
      throw .wrongMethod(
        request.method, allowed: matching.flatMap(\.methods).joined(separator: ", "))
    }
    let id = zip(route.path, segments).first { $0.0 == "{id}" }?.1 ?? ""
    return (route, ControlRequest(request: request, id: id))
  }

  private func matches(_ segments: [String]) -> Bool {
    path.count == segments.count
      && zip(path, segments).allSatisfy { part, segment in
        part == "{id}" ? !segment.isEmpty : part.utf8.elementsEqual(segment.utf8)
      }
  }
}
