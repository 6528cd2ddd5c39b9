/// The credentials in use: asked for once, and once more when the remote refuses them, however
/// many requests were refused together.
actor CredentialCache {
  /// What a request was sent with.
  struct Grant: Sendable {
    var header: AuthorizationHeader?
    /// Counts how often the source was asked.
    var generation = 0
  }

  private let source: any CredentialSource
  private var grant: Grant?
  private var renewal: Task<AuthorizationHeader?, any Error>?

  init(_ source: any CredentialSource) {
    self.source = source
  }

  /// - Parameter refused: the grant that the remote refused; nil for a first request.
  /// - Returns: nil when there is nothing better than what was refused.
  /// - Throws: what the source throws; `CancellationError`.
  func grant(after refused: Grant? = nil) async throws -> Grant? {
    while true {
      if let grant, grant.generation > refused?.generation ?? 0 { return grant }
      if refused != nil, !source.isRenewable { return nil }
      let before = refused?.header
      let generation = grant?.generation ?? 0
      do {
        let header = try await ask(fresh: refused != nil)
        if let grant, grant.generation > generation { continue }
        grant = Grant(header: header, generation: generation + 1)
        if refused != nil, header?.value == before?.value { return nil }
      } catch is CancellationError where !Task.isCancelled {
        // Another request's task waited for the same answer and was cancelled.
      }
    }
  }

  private func ask(fresh: Bool) async throws -> AuthorizationHeader? {
    let source = source
    let task = renewal ?? Task { try await source.authorization(fresh: fresh) }
    renewal = task
    defer { if renewal == task { renewal = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
