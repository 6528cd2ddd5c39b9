import HTTPServer
import SyncKit
import SyncServer
import TestSupport

/// The server's end of the network. Carries a request out at one moment.
protocol SimulatedServer: AnyObject, Sendable {
  /// Whether it answers as though it held nothing, as with its disk not mounted.
  var isForgetful: Bool { get set }

  /// Changes with every change of what it holds.
  var revision: String { get }

  func answer(_ request: HTTPRequest) async -> HTTPResponse

  /// Copies away what it holds; puts the last copy back.
  func backUp()
  func putBack()
}

extension SimulatedServer {
  /// What has no file has no backup.
  func backUp() {}
  func putBack() {}
}

/// `syncd serve`, the very code, without its sockets.
///
/// Unchecked: it lives on the scheduler's thread alone.
final class SyncdServer: SimulatedServer, @unchecked Sendable {
  var isForgetful = false
  private(set) var revision = ""
  private let limits: SyncServer.Limits
  private var server: ServerInProcess
  /// Where its file is; nil where its store is in memory.
  private var folder: Folder?
  private var backup: Folder?

  init(_ limits: SyncServer.Limits, hasFile: Bool) {
    self.limits = limits
    folder = hasFile ? Folder() : nil
    server = Self.open(limits, folder)
  }

  private static func open(_ limits: SyncServer.Limits, _ folder: Folder?) -> ServerInProcess {
    guard
      let server = try? ServerInProcess(limits: limits, storePath: folder?.store ?? ":memory:")
    else { preconditionFailure("the server's store cannot be opened") }
    return server
  }

  func backUp() { backup = folder?.copy() }

  func putBack() {
    guard let copy = backup?.copy() else { return }
    server = Self.open(limits, copy)
    folder = copy
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let rest = request.url.split(separator: "://", maxSplits: 1).last ?? ""
    let target = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
    if isForgetful, let answer = forgetful(request, target) { return answer }
    var body: [UInt8] = []
    var fields = request.headers.fields
    if case .bytes(let bytes) = request.body {
      body = bytes
      fields.append(("Content-Length", String(bytes.count)))
    }
    let response = await server.answer(
      Request(
        method: request.method.rawValue, target: RequestTarget(Array(target.utf8)),
        fields: fields, body: body))
    var headers = HTTPHeaders()
    for field in response.headers { headers.add(field.name, field.value) }
    if let sequence = headers["Syncd-Sequence"] { revision = sequence }
    return HTTPResponse(
      head: HTTPResponseHead(status: response.status, headers: headers, url: request.url),
      body: bytes(of: response))
  }

  private func bytes(of response: Response) -> [UInt8] {
    switch response.body {
    case .bytes(let bytes): return bytes
    case .stream(let next):
      var bytes: [UInt8] = []
      while let more = try? next() { bytes += more }
      return bytes
    case .events: return []
    }
  }

  /// An empty collection that takes nothing; nil for what is answered as ever.
  private func forgetful(_ request: HTTPRequest, _ target: Substring) -> HTTPResponse? {
    var head = HTTPResponseHead(status: 200, url: request.url)
    head.headers["Content-Type"] = "application/json"
    if target.hasSuffix("/fetch"), case .bytes(let body) = request.body {
      head.headers["Content-Type"] = "application/x-ndjson"
      let ids = (try? RequestedIDs(body).ids) ?? []
      var lines: [UInt8] = []
      for id in ids {
        lines.append(json: "{")
        lines.appendMember("id", string: id, first: true)
        lines.append(json: ",\"status\":404}\n")
      }
      return HTTPResponse(head: head, body: lines)
    }
    guard request.method == .get else {
      head.status = 503
      return HTTPResponse(head: head, body: [])
    }
    head.headers["Syncd-Capabilities"] = "1; batch=1000; fetch=1000"
    head.headers["ETag"] = "\"empty\""
    head.headers["X-Total-Count"] = "0"
    return HTTPResponse(head: head, body: Array("[]".utf8))
  }
}

/// The ids of a fetch's body.
private struct RequestedIDs {
  var ids: [String] = []

  init(_ body: [UInt8]) throws {
    let reader = JSONScanner(body)
    var scanner = reader
    var ids: [String] = []
    try scanner.scanArray { (value) throws(JSONError) in ids.append(try reader.string(at: value)) }
    self.ids = ids
  }
}

/// A plain REST server, as people already run them.
///
/// Unchecked: it lives on the scheduler's thread alone.
final class PlainServer: SimulatedServer, @unchecked Sendable {
  var isForgetful = false
  private let model: RESTServerModel
  private let transport: ScriptedTransport

  init() {
    var habits = RESTServerModel.Habits()
    habits.listsETags = true
    model = RESTServerModel(habits)
    transport = model.transport
  }

  var revision: String {
    model.projects.values.map { "\($0)" }.sorted().joined()
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let isCollection = request.url.hasSuffix("/projects")
    if isForgetful {
      var head = HTTPResponseHead(status: request.method == .get ? 404 : 503, url: request.url)
      head.headers["Content-Type"] = "application/json"
      if isCollection { head.status = 200 }
      return HTTPResponse(head: head, body: Array((isCollection ? "[]" : "{}").utf8))
    }
    let failed = HTTPResponse(head: HTTPResponseHead(status: 500, url: request.url))
    return (try? await transport.send(request)) ?? failed
  }
}
