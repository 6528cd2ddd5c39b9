import SyncKit
import Synchronization

/// A WebDAV folder in this process, for habits that no server at hand has.
package final class WebDAVModel: Sendable {
  package struct Habits: Sendable {
    package enum Tags: Sendable { case strong, weak, bare, none }

    package var tags = Tags.strong
    /// Whether conditions on writes are held to.
    package var honoursConditions = true
    /// Whether the answer to `PUT` names the tag.
    package var answersTags = false
    /// Whether names that differ by case alone are one.
    package var foldsCase = false
    /// Answers in place of those that it would give: by method and the end of the path.
    package var answers: [String: ScriptedAnswer] = [:]
    /// What a listing holds beside the files.
    package var added = ""

    package init() {}
  }

  fileprivate struct File {
    var name: String
    var bytes: [UInt8]
    var second: Int64
    var revision: Int
  }

  fileprivate struct State {
    var habits: Habits
    /// By the name as the server compares names.
    var files: [[UInt8]: File] = [:]
    var second: Int64 = 1_800_000_000
    var revision = 0
    var log: [String] = []
  }

  private let state: Mutex<State>

  package init(_ habits: Habits = Habits()) {
    state = Mutex(State(habits: habits))
  }

  package static let url = "http://localhost/dav/projects"

  package var transport: ScriptedTransport {
    ScriptedTransport { [self] request, _ in answer(request) }
  }

  /// The requests so far, as `PUT a.json`.
  package var log: [String] { state.withLock { $0.log } }
  package func clearLog() { state.withLock { $0.log = [] } }

  package var habits: Habits {
    get { state.withLock { $0.habits } }
    set { state.withLock { $0.habits = newValue } }
  }

  /// Time goes by on the server.
  package func pass(seconds: Int64) { state.withLock { $0.second += seconds } }

  /// Another program writes a file.
  package func write(_ text: String, to name: String) {
    state.withLock { $0.store(Array(text.utf8), as: name) }
  }

  package func text(of name: String) -> String? {
    state.withLock { state in
      state.files[state.key(name)].map { String(decoding: $0.bytes, as: UTF8.self) }
    }
  }

  private func answer(_ request: HTTPRequest) -> ScriptedAnswer {
    state.withLock { state in
      let path = RESTServerModel.path(of: request.url).dropFirst("/dav/projects/".utf8.count)
      let name = PercentEncoding.decoded(path.utf8) ?? ""
      state.log.append("\(request.method.rawValue) \(name)")
      var answer =
        state.habits.answers["\(request.method.rawValue) \(name)"] ?? state.answer(request, name)
      answer.headers["Date"] = Self.date(state.second)
      return answer
    }
  }

  /// A moment of the days around 2027-01-15, as HTTP writes it.
  fileprivate static func date(_ second: Int64) -> String {
    let text = Timestamp(microseconds: second * 1_000_000).description
    return "Fri, \(text.dropFirst(8).prefix(2)) Jan 2027 \(text.dropFirst(11).prefix(8)) GMT"
  }
}

extension WebDAVModel.State {
  fileprivate func key(_ name: String) -> [UInt8] {
    Array((habits.foldsCase ? name.lowercased() : name).utf8)
  }

  fileprivate mutating func store(_ bytes: [UInt8], as name: String) {
    revision += 1
    // The name stays the one that it was made with.
    let old = files[key(name)]?.name
    files[key(name)] = WebDAVModel.File(
      name: old ?? name, bytes: bytes, second: second, revision: revision)
  }

  private func tag(_ file: WebDAVModel.File) -> String? {
    switch habits.tags {
    case .strong: "\"r\(file.revision)\""
    case .weak: "W/\"r\(file.revision)\""
    case .bare: "r\(file.revision)"
    case .none: nil
    }
  }

  fileprivate mutating func answer(_ request: HTTPRequest, _ name: String) -> ScriptedAnswer {
    let file = files[key(name)]
    switch request.method {
    case .propfind: return listing
    case .get:
      guard let file else { return ScriptedAnswer(404) }
      var headers: HTTPHeaders = ["Last-Modified": WebDAVModel.date(file.second)]
      // A tag that no listing names, as nginx has it.
      headers["ETag"] = tag(file) ?? "\"of-the-answer\""
      return ScriptedAnswer(200, headers: headers, bytes: file.bytes, type: "application/json")
    case .put, .delete:
      guard !habits.honoursConditions || holds(request, file) else { return ScriptedAnswer(412) }
      guard request.method == .put else {
        files[key(name)] = nil
        return ScriptedAnswer(file == nil ? 404 : 204)
      }
      if case .bytes(let bytes) = request.body { store(bytes, as: name) }
      var headers = HTTPHeaders()
      if habits.answersTags { headers["ETag"] = files[key(name)].flatMap(tag) }
      return ScriptedAnswer(file == nil ? 201 : 204, headers: headers)
    default: return ScriptedAnswer(405)
    }
  }

  private func holds(_ request: HTTPRequest, _ file: WebDAVModel.File?) -> Bool {
    if request.headers["If-None-Match"] == "*", file != nil { return false }
    guard let wanted = request.headers["If-Match"] else { return true }
    return file.flatMap(tag) == wanted
  }

  private var listing: ScriptedAnswer {
    let entries = files.values.sorted { $0.revision < $1.revision }.map { file in
      let tag = tag(file)?.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "&quot;")
      return """
        <d:response><d:href>/dav/projects/\(PercentEncoding.encoded(file.name))</d:href><d:propstat>
        <d:prop>\(tag.map { "<d:getetag>\($0)</d:getetag>" } ?? "")<d:resourcetype/>
        <d:getlastmodified>\(WebDAVModel.date(file.second))</d:getlastmodified>
        <d:getcontentlength>\(file.bytes.count)</d:getcontentlength></d:prop>
        <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
        """
    }
    return ScriptedAnswer(
      207,
      body: """
        <?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>/dav/projects/</d:href>
        <d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop>
        <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>\(entries.joined())\(habits.added)
        </d:multistatus>
        """, type: "application/xml")
  }
}
