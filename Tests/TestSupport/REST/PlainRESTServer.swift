public import SyncKit
import Synchronization

/// A plain REST server as people write them by hand: an array to list, PUT and DELETE by id.
///
/// It works; `behaviour` says how well, and `intercept` breaks it on purpose.
public final class PlainRESTServer: Sendable {
  public struct Behaviour: Sendable {
    /// How the answer to a PUT tells what was stored.
    public enum Reply: Sendable { case record, empty }

    /// Whether records have ETags, in the headers of single records.
    public var hasETags = true
    /// Whether the listing carries them too.
    public var listsETags = false
    public var honoursConditions = true
    public var reply = Reply.record
    /// Records a page, with a `Link` to the next; nil for one page.
    public var pageSize: Int?
    public var statesTotal = false
    /// Only id and updatedAt in listings.
    public var listsDigests = false
    /// Stamps are cut to a multiple of so many microseconds.
    public var stampUnit: Int64 = 1
    /// Stamps are the server's own.
    public var stamp: Timestamp?
    /// The one token that is let in; nil lets everyone in.
    public var token: String?

    public init() {}
  }

  struct State {
    var records: [ProjectID: Stored] = [:]
    var revision = 0
    var behaviour = Behaviour()
    var intercept: (@Sendable (WireRequest) -> WireScript?)?
  }

  struct Stored {
    var project: Project
    var revision: Int
    var etag: String { "\"v\(revision)\"" }
  }

  /// Lets the handler of the wire reach the state without holding the server itself.
  final class Box: Sendable {
    let state = Mutex(State())
  }

  private let box = Box()
  public let wire: WireServer

  public init() throws {
    let box = box
    wire = try WireServer(lifetime: .seconds(300)) { request in
      if let script = box.state.withLock({ $0.intercept })?(request) { return script }
      return box.state.withLock { $0.answer(request) }
    }
  }

  /// The collection.
  public var url: String { wire.url + "/projects" }

  public var behaviour: Behaviour {
    get { box.state.withLock { $0.behaviour } }
    set { box.state.withLock { $0.behaviour = newValue } }
  }

  /// Asked first; an answer takes the place of the server's own.
  public func intercept(_ intercept: (@Sendable (WireRequest) -> WireScript?)?) {
    box.state.withLock { $0.intercept = intercept }
  }

  /// What the server itself would answer.
  public func answer(_ request: WireRequest) -> WireScript {
    box.state.withLock { $0.answer(request) }
  }

  /// Ids and titles.
  public var titles: [String: String] {
    box.state.withLock { state in
      Dictionary(
        uniqueKeysWithValues: state.records.values.map { ($0.project.id.string, $0.project.title) })
    }
  }

  /// The record's JSON, as a GET answers it.
  public func json(_ id: String) throws -> String? {
    let id = try ProjectID(id)
    return box.state.withLock { state in
      state.records[id].map { String(decoding: RecordEncoder().encode($0.project), as: UTF8.self) }
    }
  }

  /// Stores a record as another client would.
  public func put(_ id: String, title: String, stamp: Int64 = 1_700_000_000_000_000) throws {
    let project = Project(
      id: try ProjectID(id), title: title, updatedAt: Timestamp(microseconds: stamp))
    box.state.withLock { $0.store(project) }
  }

  public func remove(_ id: String) throws {
    let id = try ProjectID(id)
    box.state.withLock { _ = $0.records.removeValue(forKey: id) }
  }

  public func removeAll() {
    box.state.withLock { $0.records = [:] }
  }

  /// The requests that could have changed something.
  public var writes: [WireRequest] { wire.writes }
}

extension PlainRESTServer.State {
  mutating func store(_ project: Project) {
    revision += 1
    records[project.id] = PlainRESTServer.Stored(project: project, revision: revision)
  }

  mutating func answer(_ request: WireRequest) -> WireScript {
    if let token = behaviour.token, request.headers["Authorization"] != "Bearer \(token)" {
      return .json(#"{"message":"who are you?"}"#, status: 401)
    }
    let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[1] == "projects" else { return .response(404) }
    if parts.count == 2 || parts[2].isEmpty {
      return request.method == "GET" ? list(request) : .response(405)
    }
    guard parts.count == 3, let text = Self.decoded(parts[2]), let id = try? ProjectID(text) else {
      return .json(#"{"message":"no such path"}"#, status: 404)
    }
    switch request.method {
    case "GET", "HEAD": return records[id].map { record($0, status: 200) } ?? .response(404)
    case "PUT": return put(id, request)
    case "DELETE": return delete(id, request)
    default: return .response(405)
    }
  }

  private func record(_ stored: PlainRESTServer.Stored, status: Int) -> WireScript {
    let body = String(decoding: RecordEncoder().encode(stored.project), as: UTF8.self)
    return .json(body, status: status, headers: behaviour.hasETags ? ["ETag": stored.etag] : [:])
  }

  private mutating func put(_ id: ProjectID, _ request: WireRequest) -> WireScript {
    guard var project = try? RecordDecoder().record(request.body).project, project.id == id else {
      return .json(#"{"message":"not a record"}"#, status: 422)
    }
    let old = records[id]
    guard holds(request, old) else { return .json(#"{"message":"changed"}"#, status: 412) }
    let micro = behaviour.stamp?.microseconds ?? project.updatedAt.microseconds
    let unit = behaviour.stampUnit
    project.updatedAt = Timestamp(microseconds: micro - ((micro % unit) + unit) % unit)
    store(project)
    let status = old == nil ? 201 : 200
    switch behaviour.reply {
    case .empty: return .response(204)
    case .record:
      return records[id].map { record($0, status: status) } ?? .response(500)
    }
  }

  private mutating func delete(_ id: ProjectID, _ request: WireRequest) -> WireScript {
    guard let old = records[id] else { return .response(404) }
    guard holds(request, old) else { return .json(#"{"message":"changed"}"#, status: 412) }
    records[id] = nil
    return .response(204)
  }

  private func holds(_ request: WireRequest, _ old: PlainRESTServer.Stored?) -> Bool {
    guard behaviour.hasETags, behaviour.honoursConditions else { return true }
    if request.headers["If-None-Match"] == "*", old != nil { return false }
    if let tag = request.headers["If-Match"], tag != old?.etag { return false }
    return true
  }

  /// The path segment without its percent-encoding, byte for byte.
  private static func decoded(_ segment: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(segment.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
