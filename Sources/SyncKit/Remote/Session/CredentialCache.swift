import Synchronization

/// The credentials in use: asked for once, and once more when the remote refuses them, however
/// many requests were refused together.
///
/// What is in use is read without a hop to the actor: every request does so.
actor CredentialCache {
  /// What a request was sent with.
  struct Grant: Sendable {
    var header: AuthorizationHeader?
    /// Counts how often the source was asked.
    var generation = 0
  }

  private let source: any CredentialSource
  private nonisolated let granted: Mutex<Grant?>
  private var renewal: Task<AuthorizationHeader?, any Error>?

  init(_ source: any CredentialSource) {
    self.source = source
    granted = Mutex(source is NoCredentials ? Grant(generation: 1) : nil)
  }

  /// What requests are sent with now; nil before the source was asked.
  nonisolated var current: Grant? { granted.withLock { $0 } }

  /// - Parameter refused: the grant that the remote refused; nil for a first request.
  /// - Returns: nil when there is nothing better than what was refused.
  /// - Throws: what the source throws; `CancellationError`.
  func grant(after refused: Grant? = nil) async throws -> Grant? {
    while true {
      let before = current
      if let before, before.generation > refused?.generation ?? 0 { return before }
      if refused != nil, !source.isRenewable { return nil }
      do {
        let header = try await ask(fresh: refused != nil)
        guard current?.generation == before?.generation else { continue }
        let grant = Grant(header: header, generation: (before?.generation ?? 0) + 1)
        granted.withLock { $0 = grant }
        if refused != nil, header?.value == refused?.header?.value { return nil }
        return grant
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
