import Synchronization

/// Whether the remote honours conditions, and what is done where it does not.
extension RESTRemote {
  /// Whether a condition that holds was found to hold, and what it would be sent as.
  enum Check {
    case holds(EntityTag?)
    case differs
    case isAbsent
    case refused(status: Int, message: String)
  }

  /// Whether the remote itself can be trusted with the condition; `tag` becomes what to send.
  func isHonoured(_ condition: WriteCondition, tag: inout EntityTag?) -> Bool {
    forgetFormerServer()
    let (creates, updates) = state.withLock { ($0.creates, $0.updates) }
    switch condition {
    case .absent, .new, .lost: return creates == true
    case .matches(let digest):
      tag = digest.etag.flatMap { EntityTag(strong: $0) }
      return updates == true && tag != nil
    }
  }

  /// Forgets what was found out of another version of the server.
  private func forgetFormerServer() {
    guard let former = session.options.server, let server = session.server else { return }
    state.withLock { state in
      defer { state.isSameServer = true }
      guard !state.isSameServer, former != server else { return }
      (state.creates, state.updates, state.isProbed) = (nil, nil, false)
    }
  }

  func conditional(
    _ request: HTTPRequest, _ condition: WriteCondition, _ tag: EntityTag?
  ) -> HTTPRequest {
    var request = request
    switch condition {
    case .absent, .new, .lost:
      if request.method == .put { request.headers.add("If-None-Match", "*") }
    case .matches:
      if let tag { request.headers.add("If-Match", tag.text) }
    }
    return request
  }

  /// Reads the record and compares it with what the condition says.
  func check(_ id: ProjectID, _ condition: WriteCondition) async throws -> Check {
    switch (try await look(at: id), condition) {
    case (.absent, .matches): return .isAbsent
    case (.absent, _): return .holds(nil)
    case (.refused(let status, let message), _):
      return .refused(status: status, message: message)
    case (.record(let record, let tag), .matches(let digest)):
      guard isCurrent(record, digest, try await listingForm()) else { return .differs }
      return .holds((tag ?? record.etag).flatMap { EntityTag(strong: $0) })
    case (.record, _), (.unreadable, _): return .differs
    }
  }

  /// What is asked before a write is repeated, unless the remote itself checks the condition.
  func recheck(
    _ id: ProjectID, _ condition: WriteCondition, unless isDirect: Bool
  ) -> (@Sendable () async throws -> Bool)? {
    if isDirect { return nil }
    return {
      if case .holds = try await self.check(id, condition) { true } else { false }
    }
  }

  private func isCurrent(
    _ record: RemoteRecord, _ digest: RemoteDigest, _ form: ListingForm?
  ) -> Bool {
    if let known = digest.etag, let current = record.etag {
      return Version(known) == Version(current)
    }
    return (form?.version(of: record.digest) ?? record.version) == digest.version
  }

  // MARK: The probe

  /// Whether the caller is the one to find out; a remote without tags has nothing to find out.
  func claimProbe(_ condition: WriteCondition, tag: EntityTag?) -> Bool {
    state.withLock { state in
      if state.isProbed { return false }
      if case .matches = condition, tag == nil {
        (state.creates, state.updates, state.isProbed) = (false, false, true)
        return false
      }
      state.isProbed = true
      return true
    }
  }

  /// Sends the write with a tag that no record has, right after it was seen that the write may go
  /// through: 412 says that conditions are honoured, and nothing was written; success says that
  /// they are ignored, and the write is done.
  ///
  /// - Returns: the write's outcome where it went through; nil where it is still to be done.
  func probeUpdates(_ plain: HTTPRequest, _ project: Project) async throws -> WriteOutcome? {
    var request = plain
    let number = UInt64(session.clock.random() * 0x1p53)
    request.headers.add("If-Match", "\"syncd-probe-\(String(number, radix: 16))\"")
    guard case .response(let response, _) = try await session.send(record: request) else {
      return nil
    }
    switch response.status {
    case 412, 409: state.withLock { $0.updates = true }
    case 200..<300:
      let outcome = try await outcome(of: response, request, project)
      state.withLock { ($0.creates, $0.updates) = (false, false) }
      return outcome
    default: break
    }
    return nil
  }

  /// Sends a write that was just done once more as a create. Where updates are honoured, its tag
  /// guards it against whoever wrote since.
  func probeCreates(
    _ plain: HTTPRequest, _ project: Project, after outcome: WriteOutcome
  ) async throws -> WriteOutcome {
    guard state.withLock({ $0.updates == true }), let digest = outcome.held,
      let tag = digest.etag.flatMap({ EntityTag(strong: $0) })
    else { return outcome }
    var request = plain
    request.headers.add("If-Match", tag.text)
    request.headers.add("If-None-Match", "*")
    guard case .response(let response, let afterTrouble) = try await session.send(record: request)
    else { return outcome }
    switch response.status {
    case 412, 409: if !afterTrouble { state.withLock { $0.creates = true } }
    case 200..<300:
      state.withLock { $0.creates = false }
      return try await self.outcome(of: response, request, project)
    default: break
    }
    return outcome
  }

  /// Probes with a record that was just created.
  func probeBoth(
    _ plain: HTTPRequest, _ project: Project, after outcome: WriteOutcome
  ) async throws -> WriteOutcome {
    guard let digest = outcome.held else {
      state.withLock { $0.isProbed = false }
      return outcome
    }
    guard digest.etag.flatMap({ EntityTag(strong: $0) }) != nil else {
      state.withLock { ($0.creates, $0.updates) = (false, false) }
      return outcome
    }
    if let rewritten = try await probeUpdates(plain, project) { return rewritten }
    return try await probeCreates(plain, project, after: outcome)
  }
}
