package import HTTPServer

/// The server's answers without its sockets, for whoever brings the requests another way.
package final class ServerInProcess: Sendable {
  private let service: Service

  /// Opens a store that anyone may use. Writes are done where they are asked for.
  ///
  /// - Throws: `ServerError`.
  package init(limits: SyncServer.Limits, storePath: String = ":memory:") throws(ServerError) {
    var options = SyncServer.Options(storePath: storePath)
    options.limits = limits
    let store = try ProjectStore(path: options.storePath, groupsWrites: false)
    let gate = Gate(tokens: TokenStore(store: store), isLoopback: true, requestsPerSecond: nil)
    service = Service(store: store, gate: gate, options: options)
  }

  /// Carries a request out.
  package func answer(_ request: Request) async -> Response {
    switch service.admit(request) {
    case .gathering(_, .now(let answer)): answer(request)
    case .gathering(_, .later(let answer)): await answer(request)
    case .gathering(_, .whenDone(let answer)):
      await withCheckedContinuation { continuation in
        answer(request) { continuation.resume(returning: $0) }
      }
    case .draining(let refusal): refusal
    }
  }
}
