package import SyncKit
import Synchronization

/// A `syncd` remote in this process: digests, batches and fetches over a `MemoryRemote`'s records.
package final class SyncdServerModel: Sendable {
  package struct Habits: Sendable {
    package var batch = 1000
    package var pageSize = 10_000
    /// A batch of more writes is answered 413.
    package var refusedAbove = 1000
    package init() {}
  }

  private struct State {
    var habits = Habits()
    var records: [ProjectID: RemoteRecord] = [:]
    var revision = 0
    var log: [String] = []
    var after: (@Sendable (HTTPRequest, ScriptedAnswer) throws -> ScriptedAnswer)?
  }

  private let state = Mutex(State())

  package init() {}

  package var transport: ScriptedTransport {
    ScriptedTransport { [self] request, _ in
      let answer = state.withLock { Self.answer(request, &$0) }
      return try state.withLock { $0.after }?(request, answer) ?? answer
    }
  }

  package var habits: Habits {
    get { state.withLock { $0.habits } }
    set { state.withLock { $0.habits = newValue } }
  }

  package func setAfter(
    _ after: (@Sendable (HTTPRequest, ScriptedAnswer) throws -> ScriptedAnswer)?
  ) {
    state.withLock { $0.after = after }
  }

  package var log: [String] { state.withLock { $0.log } }

  package var projects: [ProjectID: Project] {
    state.withLock { $0.records.mapValues(\.project) }
  }

  package func put(_ project: Project) { state.withLock { Self.store(project, &$0) } }

  // MARK: Answers

  private static func store(_ project: Project, _ state: inout State) {
    state.revision += 1
    let tag = "\"\(state.revision)\""
    state.records[project.id] = RemoteRecord(
      project: project, version: Version(tag), etag: tag)
  }

  private static func answer(_ request: HTTPRequest, _ state: inout State) -> ScriptedAnswer {
    let target = RESTServerModel.path(of: request.url)
    state.log.append("\(request.method.rawValue) \(target)")
    let before = state.revision
    var answer: ScriptedAnswer
    switch (request.method, String(target.prefix { $0 != "?" })) {
    case (.get, "/v1/projects"): answer = list(request, target, state)
    case (.post, "/v1/projects/batch"): answer = batch(request, &state)
    case (.post, "/v1/projects/fetch"): answer = fetch(request, state)
    default: return ScriptedAnswer(404)
    }
    let capacity = "batch=\(state.habits.batch), fetch=100, bytes=100000, changes"
    answer.headers["Syncd-Capabilities"] = "1; \(capacity)"
    answer.headers["Syncd-Remote-ID"] = "space-1"
    answer.headers["Syncd-Previous-ETag"] = "\"c\(before)\""
    answer.headers["ETag"] = "\"c\(state.revision)\""
    return answer
  }

  private static func list(
    _ request: HTTPRequest, _ target: String, _ state: State
  ) -> ScriptedAnswer {
    if request.headers["If-None-Match"] == "\"c\(state.revision)\"" { return ScriptedAnswer(304) }
    let after = target.split(separator: "after=").dropFirst().first.map { String($0) }
    let isDigest = target.contains("fields=id,updatedAt,etag")
    let rest = state.records.values.sorted { $0.project.id < $1.project.id }
      .filter { record in after.map { record.project.id.string > $0 } ?? true }
    let page = rest.prefix(state.habits.pageSize)
    let entries = page.map { record in
      var bytes: [UInt8] = []
      if isDigest {
        bytes.append(json: "{")
        bytes.appendMember("id", string: record.project.id.string, first: true)
        bytes.appendMember("updatedAt", string: record.project.updatedAt.description)
      } else {
        bytes += RecordEncoder().encode(record.project).dropLast()
      }
      bytes.appendMember("etag", string: record.etag)
      return String(decoding: bytes, as: UTF8.self) + "}"
    }
    var answer = ScriptedAnswer.json("[\(entries.joined(separator: ","))]")
    if page.count < rest.count, let last = page.last {
      let fields = isDigest ? "fields=id,updatedAt,etag&" : ""
      answer.headers["Link"] = "<?\(fields)after=\(last.project.id)>; rel=next"
    }
    return answer
  }

  private static func lines(_ request: HTTPRequest) -> [[UInt8]] {
    guard case .bytes(let body) = request.body else { return [] }
    return body.split(separator: UInt8(ascii: "\n")).map { Array($0) }
  }

  private static func batch(_ request: HTTPRequest, _ state: inout State) -> ScriptedAnswer {
    let lines = lines(request)
    if lines.count > state.habits.refusedAbove {
      return .json("{\"title\":\"too many\"}", status: 413)
    }
    var body = ""
    for line in lines { body += write(line, &state) + "\n" }
    return ScriptedAnswer(200, body: body, type: "application/x-ndjson")
  }

  private static func write(_ line: [UInt8], _ state: inout State) -> String {
    let reader = JSONScanner(line)
    var scanner = reader
    var members: [String: Range<Int>] = [:]
    try? scanner.scanObject { (key, value) throws(JSONError) in
      members[try reader.string(at: key)] = value
    }
    let text = { (name: String) in members[name].flatMap { try? reader.string(at: $0) } }
    let project = members["put"].flatMap { try? RecordDecoder().record(Array(line[$0])).project }
    guard let id = project?.id ?? text("delete").flatMap({ try? ProjectID($0) }) else {
      return "{\"status\":422,\"detail\":\"no record\"}"
    }
    var name: [UInt8] = []
    name.append(jsonString: id.string)
    let head = "{\"id\":\(String(decoding: name, as: UTF8.self)),\"status\":"
    let current = state.records[id]
    if project == nil, current == nil { return "\(head)404}" }
    if text("ifNoneMatch") == "*", current != nil { return "\(head)412}" }
    if let wanted = text("ifMatch"), wanted != current?.etag { return "\(head)412}" }
    guard let project else {
      state.records[id] = nil
      state.revision += 1
      return "\(head)204}"
    }
    if project.title == "refuse me" { return "\(head)422,\"detail\":\"a title like that\"}" }
    store(project, &state)
    return "\(head)\(current == nil ? 201 : 200),\"etag\":\"\\\"\(state.revision)\\\"\"}"
  }

  private static func fetch(_ request: HTTPRequest, _ state: State) -> ScriptedAnswer {
    guard case .bytes(let body) = request.body else { return ScriptedAnswer(400) }
    let reader = JSONScanner(body)
    var scanner = reader
    var text = ""
    try? scanner.scanArray { (value) throws(JSONError) in
      let id = reader.text(at: value)
      let found = (try? ProjectID(try reader.string(at: value))).flatMap { state.records[$0] }
      guard let found else {
        text += "{\"id\":\(id),\"status\":404}\n"
        return
      }
      let record = String(decoding: RecordEncoder().encode(found.project), as: UTF8.self)
      let etag = found.version.raw.split(separator: "\"").joined()
      text += "{\"id\":\(id),\"etag\":\"\\\"\(etag)\\\"\",\"record\":\(record)}\n"
    }
    return ScriptedAnswer(200, body: text, type: "application/x-ndjson")
  }
}
