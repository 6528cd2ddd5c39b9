internal import HTTPServer
internal import SyncKit

/// What a request is about.
///
/// A record may have any id, `changes` and `batch` included. What is not a record is told apart by
/// what no request for a record has: POST, the parameter `since`, an `Accept` for an event stream.
enum Route: Sendable, Equatable {
  case health
  case metrics
  case collection
  case record(ProjectID)
  case batch
  case fetch
  case changes
  case compare
  case events

  /// - Throws: `Problem` 400 for an id that cannot be one, 404 for an unknown path, 405.
  init(_ request: Request) throws(Problem) {
    let segments = request.target.segments.map { PercentEncoding.decoded($0) }
    switch segments {
    case ["healthz"]: self = try Self.health.allowing(["GET", "HEAD"], request)
    case ["metrics"]: self = try Self.metrics.allowing(["GET", "HEAD"], request)
    case ["v1", "projects"], ["v1", "projects", ""]:
      self = try Self.collection.allowing(["GET", "HEAD"], request)
    default:
      guard segments.count == 3, segments[0] == "v1", segments[1] == "projects" else {
        throw Problem(404, "nothing is served under this path")
      }
      guard let name = segments[2] else {
        throw Problem(400, "the id holds a broken escape, or bytes that are not UTF-8")
      }
      self = try Self.member(name, request)
    }
  }

  private static func member(_ name: String, _ request: Request) throws(Problem) -> Route {
    let posted: Route? =
      switch name {
      case "batch": .batch
      case "fetch": .fetch
      case "compare": .compare
      default: nil
      }
    if let posted, request.method == "POST" { return posted }
    let reads = request.method == "GET" || request.method == "HEAD"
    if name == "changes", reads, try request.target.parameter("since") != nil { return .changes }
    if name == "events", reads, request.field("Accept")?.contains("text/event-stream") == true {
      return .events
    }
    let id: ProjectID
    do { id = try ProjectID(name) } catch { throw Problem(400, error.description) }
    let methods = ["GET", "HEAD", "PUT", "DELETE"] + (posted == nil ? [] : ["POST"])
    return try Route.record(id).allowing(methods, request)
  }

  private func allowing(_ methods: [String], _ request: Request) throws(Problem) -> Route {
    guard methods.contains(request.method) else {
      throw .wrongMethod(request.method, allowed: methods.joined(separator: ", "))
    }
    return self
  }

  /// The media types of a body; the first is the one to name.
  var mediaTypes: [String] {
    switch self {
    case .batch:
      ["application/x-ndjson", "application/ndjson", "application/jsonl"]
    case .compare: [rangesMediaType]
    default: ["application/json"]
    }
  }
}
