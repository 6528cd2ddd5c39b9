package import SyncKit
import Synchronization

/// A REST server in this process: what people already run, with its habits to choose from.
///
/// `transport` reaches it. Records are kept as they came, members and all.
package final class RESTServerModel: Sendable {
  package struct Habits: Sendable {
    /// How a reply to a PUT looks.
    package enum Reply: Sendable { case record, empty, text }

    /// What becomes of a record's stamp when it is stored: kept, cut, or set.
    package var stamp: @Sendable (Timestamp) -> Timestamp = { $0 }
    package var hasETags = true
    /// What it calls itself.
    package var server: String?
    package var isWeak = false
    /// Whether entries of the listing carry their `etag`.
    package var listsETags = false
    package var listsRecords = false
    package var honoursUpdates = true
    package var honoursCreates = true
    package var reply = Reply.record
    /// Records in a page, with a `Link` to the next; nil for one page.
    package var pageSize: Int?
    package var total = false
    /// The collection's path.
    package var path = "/v1/projects"
    /// The token that requests must carry.
    package var token: String?
    package var fields = RecordFields.standard

    package init() {}
  }

  struct Stored: Sendable {
    var project: Project
    var revision: Int
  }

  struct State {
    var habits: Habits
    var records: [ProjectID: Stored] = [:]
    var revision = 0
    var log: [String] = []
    var fault: (@Sendable (HTTPRequest, Int) async throws -> ScriptedAnswer?)?
    var after: (@Sendable (HTTPRequest, ScriptedAnswer) throws -> ScriptedAnswer)?
  }

  let state: Mutex<State>

  package init(_ habits: Habits = Habits()) {
    state = Mutex(State(habits: habits))
  }

  /// A transport whose other end is this server.
  package var transport: ScriptedTransport {
    ScriptedTransport { [self] request, number in
      let (fault, after) = state.withLock { state in
        state.log.append("\(request.method.rawValue) \(Self.path(of: request.url))")
        return (state.fault, state.after)
      }
      if let answer = try await fault?(request, number) { return answer }
      var answer = state.withLock { $0.answer(request) }
      if let server = habits.server { answer.headers["Server"] = server }
      return try after?(request, answer) ?? answer
    }
  }

  package var habits: Habits {
    get { state.withLock { $0.habits } }
    set { state.withLock { $0.habits = newValue } }
  }

  /// Asked before each request, with its number from 1: an answer or an error in place of ours.
  package func setFault(
    _ fault: (@Sendable (HTTPRequest, Int) async throws -> ScriptedAnswer?)?
  ) {
    state.withLock { $0.fault = fault }
  }

  /// Given each answer once the request was carried out, to change or to lose it.
  package func setAfter(
    _ after: (@Sendable (HTTPRequest, ScriptedAnswer) throws -> ScriptedAnswer)?
  ) {
    state.withLock { $0.after = after }
  }

  /// The requests so far, as `PUT /v1/projects/a`.
  package var log: [String] { state.withLock { $0.log } }

  package func clearLog() { state.withLock { $0.log = [] } }

  package var projects: [ProjectID: Project] {
    state.withLock { $0.records.mapValues(\.project) }
  }

  /// Another device stores a record.
  package func put(_ project: Project) { state.withLock { $0.store(project) } }

  package func remove(_ id: ProjectID) { state.withLock { $0.records[id] = nil } }

  static func path(of url: String) -> String {
    let rest = url.split(separator: "://", maxSplits: 1).last ?? ""
    return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
  }
}
