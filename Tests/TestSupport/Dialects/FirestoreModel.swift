package import SyncKit
import Synchronization

/// A collection of Firestore in this process, as far as the dialect speaks to it: written from its
/// protocol definitions, with its limits.
package final class FirestoreModel: Sendable {
  package struct Habits: Sendable {
    package var token: String?
    /// Whether writes may end one by one; an app's own users have `commit` alone.
    package var hasBatchWrite = true
    package var maximumDocument = 1 << 20
    /// A security rule forbids documents that hold this text.
    package var forbidden: String?
    /// Whether the answer to a query ends with an element that says so and holds no document.
    package var marksEnd = false
    /// Answers that are streams break off with an error after so many documents.
    package var breaksAfter: Int?

    package init() {}
  }

  fileprivate struct Document {
    /// The JSON of each typed value.
    var fields: [String: String]
    var updateTime: String
  }

  private struct State {
    var documents: [ProjectID: Document] = [:]
    var clock = 0
    var habits = Habits()
    var log: [String] = []
  }

  /// Why a write is not carried out: one of gRPC's codes.
  struct Failure: Error {
    var code: Int
    var message: String
  }

  package static let url = "http://localhost/v1/\(names)"
  private static let database = "projects/p/databases/(default)/documents"
  private static let names = database + "/todos"

  private let state = Mutex(State())

  package init(_ habits: Habits = Habits()) {
    state.withLock { $0.habits = habits }
  }

  package var transport: ScriptedTransport {
    ScriptedTransport { [self] request, _ in answer(request) }
  }

  /// The operations so far, as `runQuery`.
  package var log: [String] { state.withLock { $0.log } }

  package func clearLog() { state.withLock { $0.log = [] } }

  /// The typed values of a document.
  package func fields(_ id: String) -> [String: String]? {
    state.withLock { $0.documents[ProjectID(trusted: id)]?.fields }
  }

  /// Puts a document there as an app does, with typed values.
  package func put(_ id: String, _ fields: [String: String]) {
    state.withLock { state in
      state.documents[ProjectID(trusted: id)] = Document(
        fields: fields, updateTime: Self.tick(&state))
    }
  }

  package func answer(_ request: HTTPRequest) -> ScriptedAnswer {
    state.withLock { state in
      let path = RESTServerModel.path(of: request.url)
      let token = state.habits.token
      let isLetIn = token == nil || request.headers["Authorization"] == "Bearer \(token ?? "")"
      var answer =
        isLetIn
        ? Self.answer(request, path, &state)
        : Self.error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
      // The errors of operations that answer with a stream are elements of one.
      if answer.status != 200, path.hasSuffix(":runQuery") || path.hasSuffix(":batchGet") {
        answer.body = Array("[".utf8) + answer.body + Array("]".utf8)
      }
      return answer
    }
  }

  private static func answer(
    _ request: HTTPRequest, _ path: String, _ state: inout State
  ) -> ScriptedAnswer {
    var body: [UInt8] = []
    if case .bytes(let bytes) = request.body { body = bytes }
    guard request.method == .post, path.hasPrefix("/v1/\(database):") else {
      return error(404, "NOT_FOUND", "The database does not exist")
    }
    let operation = String(path.dropFirst(database.count + 5))
    state.log.append(operation)
    switch operation {
    case "runQuery": return query(JSONScanner(body), state)
    case "batchGet": return get(body, state)
    case "batchWrite":
      guard state.habits.hasBatchWrite else {
        return error(403, "PERMISSION_DENIED", "Missing or insufficient permissions.")
      }
      return batch(body, &state)
    case "commit": return commit(body, &state)
    default: return error(404, "NOT_FOUND", "no such operation")
    }
  }

  private static func query(_ query: JSONScanner, _ state: State) -> ScriptedAnswer {
    let place = ["structuredQuery"]
    guard let limit = query.text(at: place + ["limit"]).flatMap({ Int($0) }),
      let start = try? query.value(at: place)
    else { return error(400, "INVALID_ARGUMENT", "no query") }
    let values = elements(start, at: ["startAt", "values"])?.first
    let name = values.flatMap { JSONScanner($0).text(at: ["referenceValue"]) }
    let after = name.map { ProjectID(trusted: String($0.dropFirst(names.count + 1))) }
    let selected = elements(start, at: ["select", "fields"])?.compactMap {
      JSONScanner($0).text(at: ["fieldPath"])
    }
    let later = state.documents.filter { id, _ in after.map { $0 < id } ?? true }
    let page =
      later
      .sorted { $0.key < $1.key }.prefix(limit)
    var rows = page.map { id, document in
      "{\"document\":\(json(id, document, only: selected)),\"readTime\":\"2026-12-01T00:00:00Z\"}"
    }
    if page.isEmpty {
      rows = ["{\"readTime\":\"2026-12-01T00:00:00.000001Z\"}"]
    } else if state.habits.marksEnd {
      rows.append("{\"readTime\":\"2026-12-01T00:00:00Z\",\"done\":true}")
    }
    return stream(rows, state)
  }

  private static func stream(_ rows: [String], _ state: State) -> ScriptedAnswer {
    var rows = rows
    if let count = state.habits.breaksAfter, rows.count > count {
      rows[count...] = ["{\"error\":{\"code\":13,\"message\":\"gone\",\"status\":\"INTERNAL\"}}"]
    }
    return .json("[" + rows.joined(separator: ",\n") + "]")
  }

  private static func get(_ body: [UInt8], _ state: State) -> ScriptedAnswer {
    var rows: [String] = []
    for element in elements(body, at: ["documents"]) ?? [] {
      let text = String(decoding: element, as: UTF8.self)
      guard let name = try? JSONScanner(element).string(at: 0..<element.count),
        name.hasPrefix(names + "/")
      else { return error(400, "INVALID_ARGUMENT", "Document name is not valid") }
      let id = ProjectID(trusted: String(name.dropFirst(names.count + 1)))
      rows.append(
        state.documents[id].map { "{\"found\":\(json(id, $0, only: nil))}" }
          ?? "{\"missing\":\(text)}")
    }
    return stream(rows.reversed(), state)
  }

  private static func batch(_ body: [UInt8], _ state: inout State) -> ScriptedAnswer {
    var (results, states): ([String], [String]) = ([], [])
    let writes = elements(body, at: ["writes"]) ?? []
    guard writes.count <= 500 else { return error(400, "INVALID_ARGUMENT", "maximum 500 writes") }
    for write in writes {
      do {
        let time = try carryOut(JSONScanner(write), &state)
        results.append(time.map { "{\"updateTime\":\"\($0)\"}" } ?? "{}")
        states.append("{}")
      } catch {
        results.append("{}")
        states.append("{\"code\":\(error.code),\"message\":\"\(error.message)\"}")
      }
    }
    return .json(
      "{\"writeResults\":[\(results.joined(separator: ","))],"
        + "\"status\":[\(states.joined(separator: ","))]}")
  }

  private static func commit(_ body: [UInt8], _ state: inout State) -> ScriptedAnswer {
    var results: [String] = []
    let before = state.documents
    for write in elements(body, at: ["writes"]) ?? [] {
      do {
        let time = try carryOut(JSONScanner(write), &state)
        results.append(time.map { "{\"updateTime\":\"\($0)\"}" } ?? "{}")
      } catch {
        state.documents = before
        switch error.code {
        case 5: return Self.error(404, "NOT_FOUND", error.message)
        case 6: return Self.error(409, "ALREADY_EXISTS", error.message)
        case 7: return Self.error(403, "PERMISSION_DENIED", error.message)
        case 9: return Self.error(400, "FAILED_PRECONDITION", error.message)
        default: return Self.error(400, "INVALID_ARGUMENT", error.message)
        }
      }
    }
    return .json(
      "{\"writeResults\":[\(results.joined(separator: ","))],\"commitTime\":\"\(tick(&state))\"}")
  }

  private static func carryOut(
    _ write: JSONScanner, _ state: inout State
  ) throws(Failure) -> String? {
    let name = write.text(at: ["delete"]) ?? write.text(at: ["update", "name"]) ?? ""
    let text = name.dropFirst(names.count + 1)
    guard name.hasPrefix(names + "/"), !text.contains("/"), text != ".", text != "..",
      text.utf8.count <= 1500,
      text.utf8.count < 4 || !text.hasPrefix("__") || !text.hasSuffix("__")
    else { throw Failure(code: 3, message: "the name is not valid") }
    let id = ProjectID(trusted: String(text))
    let old = state.documents[id]
    if write.text(at: ["currentDocument", "exists"]) == "false", old != nil {
      throw Failure(code: 6, message: "Document already exists: x")
    }
    if let seen = write.text(at: ["currentDocument", "updateTime"]) {
      guard let old else { throw Failure(code: 5, message: "No document to update: x") }
      guard seen == old.updateTime else {
        throw Failure(code: 9, message: "the stored version does not match")
      }
    }
    guard write.text(at: ["delete"]) == nil else {
      state.documents[id] = nil
      return nil
    }
    guard write.bytes.count <= state.habits.maximumDocument else {
      throw Failure(code: 3, message: "the document is too large")
    }
    if let forbidden = state.habits.forbidden,
      String(decoding: write.bytes, as: UTF8.self).contains(forbidden)
    {
      throw Failure(code: 7, message: "Missing or insufficient permissions.")
    }
    var fields = old?.fields ?? [:]
    for element in elements(write.bytes, at: ["updateMask", "fieldPaths"]) ?? [] {
      guard let path = try? JSONScanner(element).string(at: 0..<element.count) else { continue }
      guard let field = field(at: path) else { throw Failure(code: 3, message: "no path: \(path)") }
      let value = (try? write.value(at: ["update", "fields", field])) ?? nil
      fields[field] = try value.map { (value) throws(Failure) in try typed(value) }
    }
    if let old, old.fields == fields { return old.updateTime }
    let time = tick(&state)
    state.documents[id] = Document(fields: fields, updateTime: time)
    return time
  }

  // MARK: Texts

  private static func tick(_ state: inout State) -> String {
    state.clock += 1
    return shortest(Timestamp(microseconds: 1_800_000_000_000_000 + 250 * Int64(state.clock)))
  }

  private static func json(
    _ id: ProjectID, _ document: Document, only selected: [String]?
  ) -> String {
    var name: [UInt8] = []
    name.append(jsonString: "\(names)/\(id.string)")
    let fields = document.fields.filter { selected?.contains($0.key) ?? true }
    let members = fields.map { "\"\($0)\":\($1)" }.joined(separator: ",")
    return "{\"name\":\(String(decoding: name, as: UTF8.self)),\"fields\":{\(members)},"
      + "\"createTime\":\"2026-01-01T00:00:00Z\",\"updateTime\":\"\(document.updateTime)\"}"
  }

  private static func error(_ code: Int, _ status: String, _ message: String) -> ScriptedAnswer {
    .json(
      "{\"error\":{\"code\":\(code),\"message\":\"\(message)\",\"status\":\"\(status)\"}}",
      status: code)
  }

  private static func elements(_ body: [UInt8], at path: [String]) -> [[UInt8]]? {
    var elements: [[UInt8]] = []
    var stream = JSONElementStream(path: path)
    try? stream.consume(body) { elements.append($0) }
    return (try? stream.finish()) == nil ? nil : elements
  }
}
