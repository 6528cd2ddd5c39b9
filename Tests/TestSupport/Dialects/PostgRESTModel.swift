package import SyncKit
import Synchronization

/// A table behind PostgREST in this process, as far as the dialect speaks to it: written from what a
/// real one answers, with its limits, policies and silences.
package final class PostgRESTModel: Sendable {
  package struct Habits: Sendable {
    /// Who has this bearer token sees and writes every row; others see none. Nil lets everyone in.
    package var token: String?
    /// `db-max-rows`: every answer to a reading is cut there without a word.
    package var maximumRows = 1000
    /// A check constraint fails for rows that hold this text, and a policy for rows that hold that.
    package var violating: String?
    package var notAllowed: String?

    package init() {}
  }

  private struct State {
    /// The JSON of each column.
    var rows: [ProjectID: [String: String]] = [:]
    var habits = Habits()
    var log: [String] = []
  }

  private static let columns = [
    "id", "title", "body", "state", "due_at", "created_at", "updated_at", "extra",
  ]

  private let state = Mutex(State())

  package init(_ habits: Habits = Habits()) {
    state.withLock { $0.habits = habits }
  }

  package var transport: ScriptedTransport {
    ScriptedTransport { [self] request, _ in answer(request) }
  }

  /// The requests so far, as `GET /projects?select=id`, without percent-encoding.
  package var log: [String] { state.withLock { $0.log } }

  package func clearLog() { state.withLock { $0.log = [] } }

  package func answer(_ request: HTTPRequest) -> ScriptedAnswer {
    state.withLock { state in
      let target = RESTServerModel.path(of: request.url)
      state.log.append("\(request.method.rawValue) \(Self.decoded(target[...]))")
      var answer = Self.answer(request, target, &state)
      answer.headers["Server"] = "postgrest/12.2.3"
      return answer
    }
  }

  // MARK: Requests

  private static func answer(
    _ request: HTTPRequest, _ target: String, _ state: inout State
  ) -> ScriptedAnswer {
    guard target.prefix(while: { $0 != "?" }) == "/projects" else {
      return error(404, "PGRST205", "Could not find the table")
    }
    let authorization = request.headers["Authorization"]
    let isBearer = authorization?.hasPrefix("Bearer ") ?? false
    let isKnown = state.habits.token.map { authorization == "Bearer \($0)" } ?? true
    if isBearer, !isKnown { return error(401, "PGRST301", "JWSError JWSInvalidSignature") }
    var query: [(name: String, value: String)] = []
    for pair in target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query.append((decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : ""))
    }
    let option = { (name: String) in query.first { $0.name == name }?.value }
    let prefer = request.headers["Prefer"] ?? ""
    let reserved: Set = ["select", "order", "limit", "columns", "on_conflict"]
    let named = option("select")?.split(separator: ",").map(String.init)
    guard let select = named == ["*"] ? Array(columns) : named, Set(select).isSubset(of: columns)
    else { return error(400, "42703", "column does not exist") }
    let filters = query.filter { !reserved.contains($0.name) }
    let matches = state.rows.filter { _, row in
      isKnown && filters.allSatisfy { holds($0.name, $0.value, row) }
    }
    var body: [UInt8] = []
    if case .bytes(let bytes) = request.body { body = bytes }
    switch request.method {
    case .get:
      let limit = min(option("limit").flatMap { Int($0) } ?? .max, state.habits.maximumRows)
      let page = matches.sorted { $0.key < $1.key }.prefix(limit).map { $0.value }
      let total = prefer.contains("count=exact") ? "\(matches.count)" : "*"
      let range = page.isEmpty ? "*/\(total)" : "0-\(page.count - 1)/\(total)"
      let isPartial = total != "*" && page.count < matches.count
      return .json(
        json(page, select), status: isPartial ? 206 : 200, headers: ["Content-Range": range])
    case .post:
      if !isKnown { return error(401, "42501", "permission denied for table projects") }
      guard option("on_conflict") == "id", prefer.contains("resolution=ignore-duplicates") else {
        return error(409, "23505", "duplicate key value")
      }
      return insert(body, option("columns") ?? "", select, &state)
    case .patch:
      guard !filters.isEmpty else { return error(400, "21000", "UPDATE requires a WHERE clause") }
      guard let row = row(JSONScanner(body), columns) else {
        return error(400, "PGRST102", "Empty or invalid json")
      }
      if let refusal = refusal(of: row, state.habits) { return refusal }
      for id in matches.keys { state.rows[id]?.merge(row) { $1 } }
      return .json(json(matches.keys.compactMap { state.rows[$0] }, select))
    case .delete:
      guard !filters.isEmpty else { return error(400, "21000", "DELETE requires a WHERE clause") }
      for id in matches.keys { state.rows[id] = nil }
      return .json(json(Array(matches.values), select))
    default: return error(405, "PGRST117", "Unsupported HTTP method")
    }
  }

  private static func insert(
    _ body: [UInt8], _ columns: String, _ select: [String], _ state: inout State
  ) -> ScriptedAnswer {
    var elements: [[UInt8]] = []
    var stream = JSONElementStream()
    try? stream.consume(body) { elements.append($0) }
    let names = columns.split(separator: ",").map(String.init)
    guard (try? stream.finish()) != nil, Set(names).isSubset(of: self.columns) else {
      return error(400, "PGRST204", "Could not find a column in the schema cache")
    }
    var inserted: [ProjectID: [String: String]] = [:]
    for element in elements {
      guard let row = row(JSONScanner(element), names),
        let id = JSONScanner(element).text(at: ["id"]).map({ ProjectID(trusted: $0) })
      else { return error(400, "PGRST102", "Empty or invalid json") }
      if let refusal = refusal(of: row, state.habits) { return refusal }
      if state.rows[id] == nil, inserted[id] == nil { inserted[id] = row }
    }
    state.rows.merge(inserted) { $1 }
    return .json(json(Array(inserted.values), select), status: inserted.isEmpty ? 200 : 201)
  }

  private static func row(_ object: JSONScanner, _ columns: [String]) -> [String: String]? {
    var row: [String: String] = [:]
    for column in columns {
      guard let value = try? object.value(at: [column]) else {
        row[column] = "null"
        continue
      }
      row[column] = String(decoding: value, as: UTF8.self)
    }
    for column in ["updated_at", "created_at"] {
      guard let text = object.text(at: [column]) else { continue }
      row[column] = "\"\(stamp(text))\""
    }
    return row["id"] == "null" || row["updated_at"] == "null" ? nil : row
  }

  /// A `timestamptz` as PostgreSQL writes it: the fraction without zeros at its end, and an offset.
  private static func stamp(_ text: String) -> String {
    let parts = text.prefix { $0 != "Z" }.split(separator: ".")
    var fraction = parts.count > 1 ? parts[1] : ""
    while fraction.last == "0" { fraction.removeLast() }
    return parts[0] + (fraction.isEmpty ? "" : ".\(fraction)") + "+00:00"
  }

  private static func refusal(of row: [String: String], _ habits: Habits) -> ScriptedAnswer? {
    let all = row.values.joined(separator: " ")
    if all.contains("\\u0000") {
      return error(400, "22P05", "unsupported Unicode escape sequence")
    }
    if let violating = habits.violating, all.contains(violating) {
      return error(400, "23514", "new row violates check constraint \"c\"")
    }
    if let notAllowed = habits.notAllowed, all.contains(notAllowed) {
      return error(
        403, "42501", "new row violates row-level security policy for table \"projects\"")
    }
    return nil
  }

  // MARK: Conditions

  private static func holds(_ name: String, _ value: String, _ row: [String: String]) -> Bool {
    if name == "or" {
      return list(value).contains { part in
        guard part.hasPrefix("and(") else { return isTrue(part, row) }
        return list(String(part.dropFirst(3))).allSatisfy { isTrue($0, row) }
      }
    }
    let own = text(name, row)
    if value.hasPrefix("eq.") { return same(own, String(value.dropFirst(3))) }
    if value.hasPrefix("gt.") {
      let other = ProjectID(trusted: String(value.dropFirst(3)))
      return own.map { ProjectID(trusted: $0) > other } ?? false
    }
    guard value.hasPrefix("in.") else { return false }
    return list(String(value.dropFirst(3))).contains { same(own, unquoted($0)) }
  }

  /// `name.eq."value"`.
  private static func isTrue(_ condition: String, _ row: [String: String]) -> Bool {
    guard let dot = condition.firstIndex(of: ".") else { return false }
    let rest = condition[condition.index(after: dot)...]
    return rest.hasPrefix("eq.")
      && same(text(String(condition[..<dot]), row), unquoted(String(rest.dropFirst(3))))
  }

  private static func same(_ one: String?, _ other: String) -> Bool {
    one.map { $0.utf8.elementsEqual(other.utf8) } ?? false
  }

  private static func text(_ column: String, _ row: [String: String]) -> String? {
    row[column].flatMap { JSONScanner(Array("{\"v\":\($0)}".utf8)).text(at: ["v"]) }
  }

  /// The parts of `(one,"t,wo",and(three,four))`.
  private static func list(_ text: String) -> [String] {
    var parts: [[UInt8]] = [[]]
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    for byte in text.utf8.dropFirst().dropLast() {
      if isQuoted {
        (isEscaped, isQuoted) = (!isEscaped && byte == 0x5C, isEscaped || byte != 0x22)
      } else if byte == 0x22 {
        isQuoted = true
      } else if byte == UInt8(ascii: ",") && depth == 0 {
        parts.append([])
        continue
      } else {
        depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
      }
      parts[parts.count - 1].append(byte)
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func unquoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    var isEscaped = false
    guard text.utf8.first == 0x22 else { return text }
    for byte in text.utf8.dropFirst().dropLast() {
      isEscaped = !isEscaped && byte == 0x5C
      if !isEscaped { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Texts

  private static func json(_ rows: [[String: String]], _ select: [String]) -> String {
    let objects = rows.map { row in
      "{" + select.map { "\"\($0)\":\(row[$0] ?? "null")" }.joined(separator: ", ") + "}"
    }
    return "[" + objects.joined(separator: ",\n ") + "]"
  }

  private static func error(_ status: Int, _ code: String, _ message: String) -> ScriptedAnswer {
    var bytes: [UInt8] = []
    bytes.append(jsonString: message)
    return .json(
      "{\"code\":\"\(code)\",\"details\":null,\"hint\":null,\"message\":"
        + "\(String(decoding: bytes, as: UTF8.self))}", status: status)
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
