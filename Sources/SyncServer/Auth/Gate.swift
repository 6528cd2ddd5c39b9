internal import HTTPServer
internal import SyncKit

/// Who asks, and for which space of projects.
struct Caller: Sendable {
  let space: String
  let access: TokenStore.Access
  /// What a rate limit counts by; empty for whoever came without a token.
  let key: String
}

/// Lets requests in by their bearer token (RFC 6750).
final class Gate: Sendable {
  private let tokens: TokenStore
  /// Whether a server without tokens may be used by whoever reaches it.
  private let isLoopback: Bool
  private let rate: RateLimit?

  init(tokens: TokenStore, isLoopback: Bool, requestsPerSecond: Double?) {
    self.tokens = tokens
    self.isLoopback = isLoopback
    rate = requestsPerSecond.map { RateLimit(perSecond: $0) }
  }

  /// Whether requests need no token: on loopback, until the first token is made. Revoking tokens
  /// never opens a server again.
  func isOpen() throws(ServerError) -> Bool {
    guard isLoopback else { return false }
    return try !tokens.hasAny()
  }

  /// - Throws: `Problem` 401, 403 or 429; `ServerError`.
  func admit(_ request: Request, to route: Route) throws -> Caller {
    if route == .health { return Caller(space: "", access: .read, key: "") }
    let caller = try caller(request)
    if route.writes(request.method), caller.access == .read {
      throw Problem(403, "this token may read and not write")
        .adding("WWW-Authenticate", "Bearer realm=\"syncd\", error=\"insufficient_scope\"")
    }
    if let rate, !rate.allows(caller.key) {
      throw Problem(429, "more requests than this token may make").adding("Retry-After", "1")
    }
    return caller
  }

  /// Whether a request that was let in would still be: the token may have been revoked.
  func stillAdmits(_ request: Request, to space: String) -> Bool {
    do {
      return try caller(request).space == space
    } catch {
      return !(error is Problem)
    }
  }

  private func caller(_ request: Request) throws -> Caller {
    if try isOpen() {
      try request.expectNoWebPage()
      return Caller(space: ProjectStore.openSpace, access: .write, key: "")
    }
    guard let field = request.field("Authorization") else {
      throw Problem(401, "a bearer token is needed")
        .adding("WWW-Authenticate", "Bearer realm=\"syncd\"")
    }
    let parts = field.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer",
      let token = try tokens.find(String(parts[1]))
    else {
      throw Problem(401, "the token is not known, or was revoked")
        .adding("WWW-Authenticate", "Bearer realm=\"syncd\", error=\"invalid_token\"")
    }
    return Caller(space: token.space, access: token.access, key: token.id)
  }
}

extension Route {
  func writes(_ method: String) -> Bool {
    switch self {
    case .record: method == "PUT" || method == "DELETE"
    case .batch: true
    default: false
    }
  }
}
