package import SyncKit
import Synchronization

/// A CouchDB database in this process, as far as the dialect speaks to it: written from what a real
/// one answers, with its limits.
package final class CouchModel: Sendable {
  package struct Habits: Sendable {
    /// `user:password` in base64; nil lets everyone in.
    package var login: String?
    package var path = "/projects"
    /// The longest document, in bytes.
    package var maximumDocument = 8_000_000
    /// A validation function forbids documents that hold this text.
    package var forbidden: String?
    /// Ids of documents that somebody attached a file to.
    package var attached: Set<String> = []

    package init() {}
  }

  struct Document {
    /// The document's own members, between no braces.
    var members: String
    var generation: Int
    var isDeleted = false
    var sequence: Int

    var rev: String {
      var hash: UInt64 = 14_695_981_039_346_656_037
      for byte in members.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
      return "\(generation)-" + String(hash, radix: 16)
    }
  }

  struct State {
    var documents: [ProjectID: Document] = [:]
    var sequence = 0
    var habits = Habits()
    var log: [String] = []
  }

  private let state = Mutex(State())

  package init(_ habits: Habits = Habits()) {
    state.withLock { $0.habits = habits }
  }

  package var transport: ScriptedTransport {
    ScriptedTransport { [self] request, _ in answer(request) }
  }

  /// The requests so far, as `POST /projects/_find`.
  package var log: [String] { state.withLock { $0.log } }

  package func clearLog() { state.withLock { $0.log = [] } }

  package func answer(_ request: HTTPRequest) -> ScriptedAnswer {
    state.withLock { state in
      let target = RESTServerModel.path(of: request.url)
      state.log.append("\(request.method.rawValue) \(target)")
      var answer = state.answer(request, target)
      answer.headers["Server"] = "CouchDB/3.5.0 (Erlang OTP/26)"
      return answer
    }
  }

  /// Takes a document away without a trace in the changes.
  package func purge(_ id: String) {
    state.withLock { $0.documents[ProjectID(trusted: id)] = nil }
  }
}

extension CouchModel.State {
  mutating func answer(_ request: HTTPRequest, _ target: String) -> ScriptedAnswer {
    if let login = habits.login, request.headers["Authorization"] != "Basic \(login)" {
      return Self.error(401, "unauthorized", "Name or password is incorrect.")
    }
    var body: [UInt8] = []
    if case .bytes(let bytes) = request.body { body = bytes }
    if request.method == .post, request.headers["Content-Type"] != "application/json" {
      return Self.error(415, "bad_content_type", "Content-Type must be application/json")
    }
    switch (request.method, target.prefix { $0 != "?" }.dropFirst(habits.path.count)) {
    case (.get, ""):
      return .json("{\"db_name\":\"projects\",\"update_seq\":\"\(sequence)-g1A\"}")
    case (.post, "/_find"): return find(JSONScanner(body))
    case (.post, "/_all_docs"): return rows(body)
    case (.post, "/_bulk_docs"): return bulk(body)
    case (.get, "/_changes"): return changes(target)
    default: return Self.error(404, "not_found", "Database does not exist.")
    }
  }

  private static func error(_ status: Int, _ error: String, _ reason: String) -> ScriptedAnswer {
    .json("{\"error\":\"\(error)\",\"reason\":\"\(reason)\"}", status: status)
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.append(jsonString: text)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func json(_ id: ProjectID, _ document: CouchModel.Document, members: String) -> String {
    "{\"_id\":\(Self.quoted(id.string)),\"_rev\":\"\(document.rev)\""
      + (habits.attached.contains(id.string) ? ",\"_attachments\":{\"f\":{\"stub\":true}}" : "")
      + (members.isEmpty ? "}" : ",\(members)}")
  }

  /// Only what the dialect asks for: every document, by id, with one member beside its own.
  private func find(_ query: JSONScanner) -> ScriptedAnswer {
    let limit = query.text(at: ["limit"]).flatMap { Int($0) } ?? 25
    let start = query.text(at: ["bookmark"]).map { ProjectID(trusted: String($0.dropFirst(2))) }
    let there = documents.filter { id, document in
      !document.isDeleted && (start.map { $0 < id } ?? true)
    }
    let page = there.sorted { $0.key < $1.key }.prefix(limit)
    let docs = page.map { id, document in
      let own = JSONScanner(Array("{\(document.members)}".utf8))
      let stamp = (try? own.value(at: ["updatedAt"])).map { String(decoding: $0, as: UTF8.self) }
      return json(id, document, members: stamp.map { "\"updatedAt\":\($0)" } ?? "")
    }
    let mark = "g1" + (page.last?.key.string ?? start?.string ?? "")
    return .json(
      "{\"docs\":[\(docs.joined(separator: ","))],\"bookmark\":\(Self.quoted(mark)),"
        + "\"warning\":\"No matching index found\"}")
  }

  private func rows(_ body: [UInt8]) -> ScriptedAnswer {
    guard let keys = Self.elements(body, at: ["keys"]) else {
      return Self.error(400, "bad_request", "`keys` must be an array")
    }
    let rows = keys.map { key -> String in
      let text = String(decoding: key, as: UTF8.self)
      guard let id = try? JSONScanner(key).string(at: 0..<key.count),
        let document = documents[ProjectID(trusted: id)]
      else { return "{\"key\":\(text),\"error\":\"not_found\"}" }
      let value = "{\"rev\":\"\(document.rev)\"\(document.isDeleted ? ",\"deleted\":true" : "")}"
      let doc =
        document.isDeleted
        ? "null" : json(ProjectID(trusted: id), document, members: document.members)
      return "{\"id\":\(text),\"key\":\(text),\"value\":\(value),\"doc\":\(doc)}"
    }
    return .json("{\"total_rows\":0,\"rows\":[\(rows.joined(separator: ","))]}")
  }

  private mutating func bulk(_ body: [UInt8]) -> ScriptedAnswer {
    guard let docs = Self.elements(body, at: ["docs"]) else {
      return Self.error(400, "bad_request", "`docs` must be an array")
    }
    guard docs.allSatisfy({ $0.count <= habits.maximumDocument }) else {
      return Self.error(413, "document_too_large", "a document")
    }
    var results: [String] = []
    for doc in docs {
      guard let result = store(doc) else {
        return Self.error(400, "doc_validation", "Bad special document member")
      }
      results.append(result)
    }
    return .json("[\(results.joined(separator: ","))]", status: 201)
  }

  /// - Returns: nil where the document makes the whole request wrong.
  private mutating func store(_ doc: [UInt8]) -> String? {
    let reader = JSONScanner(doc)
    var own: [String] = []
    var special: [String: String] = [:]
    var scanner = reader
    let isRead: Void? = try? scanner.scanObject { (key, value) throws(JSONError) in
      let name = try reader.string(at: key)
      if name.hasPrefix("_") {
        special[name] = reader.text(at: value)
      } else {
        own.append("\(reader.text(at: key)):\(reader.text(at: value))")
      }
    }
    guard isRead != nil, let text = reader.text(at: ["_id"]), !text.hasPrefix("_"),
      Set(special.keys).isSubset(of: ["_id", "_rev", "_deleted"])
    else { return nil }
    let id = ProjectID(trusted: text)
    let old = documents[id]
    let rev = reader.text(at: ["_rev"])
    let isCurrent = rev.map { $0 == old?.rev && old?.isDeleted == false }
    guard isCurrent ?? (old?.isDeleted ?? true) else {
      return "{\"id\":\(Self.quoted(text)),\"error\":\"conflict\","
        + "\"reason\":\"Document update conflict.\"}"
    }
    let members = own.joined(separator: ",")
    if let forbidden = habits.forbidden, members.contains(forbidden) {
      return "{\"id\":\(Self.quoted(text)),\"error\":\"forbidden\",\"reason\":\"not that\"}"
    }
    sequence += 1
    let document = CouchModel.Document(
      members: members, generation: (old?.generation ?? 0) + 1,
      isDeleted: special["_deleted"] == "true", sequence: sequence)
    documents[id] = document
    return "{\"ok\":true,\"id\":\(Self.quoted(text)),\"rev\":\"\(document.rev)\"}"
  }

  private func changes(_ target: String) -> ScriptedAnswer {
    var query: [Substring: Substring] = [:]
    for pair in target.split(separator: "?").dropFirst().joined().split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { query[parts[0]] = parts[1] }
    }
    guard let since = query["since"].flatMap({ Int($0.prefix { $0 != "-" }) }) else {
      return Self.error(400, "bad_request", "Malformed sequence supplied in 'since' parameter.")
    }
    let later = documents.filter { $0.value.sequence > since }
      .sorted { $0.value.sequence < $1.value.sequence }
    let page = later.prefix(query["limit"].flatMap { Int($0) } ?? .max)
    let rows = page.map { id, document in
      let doc =
        document.isDeleted
        ? "{\"_id\":\(Self.quoted(id.string)),\"_rev\":\"\(document.rev)\",\"_deleted\":true}"
        : json(id, document, members: document.members)
      return "{\"seq\":\"\(document.sequence)-g1A\",\"id\":\(Self.quoted(id.string)),"
        + "\"changes\":[{\"rev\":\"\(document.rev)\"}],"
        + (document.isDeleted ? "\"deleted\":true," : "") + "\"doc\":\(doc)}"
    }
    let last = later.count == page.count ? sequence : page.last?.value.sequence ?? since
    return .json(
      "{\"results\":[\(rows.joined(separator: ","))],\"last_seq\":\"\(last)-g1A\","
        + "\"pending\":\(later.count - page.count)}")
  }

  private static func elements(_ body: [UInt8], at path: [String]) -> [[UInt8]]? {
    var elements: [[UInt8]] = []
    var stream = JSONElementStream(path: path)
    do {
      try stream.consume(body) { elements.append($0) }
      _ = try stream.finish()
      return elements
    } catch {
      return nil
    }
  }
}
