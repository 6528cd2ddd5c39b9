extension RESTRemote {
  public func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    var result = WriteResult(outcomes: [])
    for write in writes {
      switch write {
      case .put(let project, let condition):
        result.outcomes.append(try await put(project, condition))
      case .delete(let id, let condition):
        result.outcomes.append(try await delete(id, condition))
      }
    }
    return result
  }

  // MARK: Put

  private func put(_ project: Project, _ condition: WriteCondition) async throws -> WriteOutcome {
    let body: [UInt8]
    do {
      body = try codec.encode(project)
    } catch {
      return .refused(status: 0, message: error.reason)
    }
    var request = session.request(.put, itemURL(project.id), body: .bytes(body))
    request.headers.add("Content-Type", "application/json")
    var tag: EntityTag?
    let isDirect = isHonoured(condition, tag: &tag)
    if !isDirect {
      switch try await check(project.id, condition) {
      case .holds(let current): tag = current
      case .differs, .isAbsent: return .preconditionFailed
      case .refused(let status, let message):
        return .refused(status: status, message: message)
      }
    }
    let isProbing = !isDirect && claimProbe(condition, tag: tag)
    if isProbing, let tag {
      let probed = try await probeUpdates(request, project)
      if let outcome = probed { return outcome }
      let outcome = try await put(project, request, condition, tag, isDirect: false)
      return try await probeCreates(request, project, after: outcome)
    }
    let outcome = try await put(project, request, condition, tag, isDirect: isDirect)
    return isProbing ? try await probeBoth(request, project, after: outcome) : outcome
  }

  private func put(
    _ project: Project, _ plain: HTTPRequest, _ condition: WriteCondition, _ tag: EntityTag?,
    isDirect: Bool
  ) async throws -> WriteOutcome {
    let request = conditional(plain, condition, tag)
    let answer = try await session.send(
      record: request,
      beforeRetry: recheck(project.id, condition, unless: isDirect))
    switch answer {
    case .stopped: return try await settle(project)
    case .failed(let status, let message): return .refused(status: status, message: message)
    case .response(let response, let afterTrouble):
      guard response.status == 412 || response.status == 409 else {
        return try await outcome(of: response, request, project)
      }
      if afterTrouble { return try await settle(project) }
      guard let shorter = tag?.withoutEncoding else { return .preconditionFailed }
      return try await put(project, plain, condition, shorter, isDirect: isDirect)
    }
  }

  /// What a response to a PUT says; a record that it does not show is read.
  func outcome(
    of response: HTTPResponse, _ request: HTTPRequest, _ project: Project
  ) async throws -> WriteOutcome {
    switch response.status {
    case 200..<300: break
    case 409, 412: return .preconditionFailed
    default: return .refused(status: response.status, message: session.words(of: response))
    }
    try checkMediaType(response, request)
    let tag = response.headers["ETag"]
    let form = try await listingForm()
    if response.status <= 201, !response.body.isEmpty,
      let shown = try? codec.entry(response.body), shown.digest.id == project.id
    {
      var digest = shown.digest
      digest.etag = digest.etag ?? tag
      if let digest = named(digest, form) {
        guard case .record(let record) = shown else { return .stored(digest) }
        return .held(record, sent: project, as: digest)
      }
    }
    if form == .etag, response.status != 202, let tag {
      return .stored(
        RemoteDigest(
          id: project.id, updatedAt: project.updatedAt, version: Version(tag), etag: tag))
    }
    return try await readBack(project, tag: tag, form)
  }

  /// The digest with its version as the listing names it; nil where that is not known.
  private func named(_ digest: RemoteDigest, _ form: ListingForm?) -> RemoteDigest? {
    guard let form else { return digest }
    guard let version = form.version(of: digest) else { return nil }
    var digest = digest
    digest.version = version
    return digest
  }

  /// Reads what the remote made of a write that it acknowledged.
  private func readBack(
    _ project: Project, tag: String?, _ form: ListingForm?
  ) async throws -> WriteOutcome {
    switch try await look(at: project.id) {
    case .record(let record, let current):
      let answered = tag.map { Version($0) }
      let isTheAnswered = answered != nil && answered == current.map { Version($0) }
      guard isTheAnswered || record.project.isStored(from: project) else {
        return .preconditionFailed
      }
      return .held(record, sent: project, as: named(record.digest, form))
    case .absent:
      return .refused(status: 0, message: "the remote said it was stored, and does not have it")
    case .unreadable(let record): return .refused(status: 0, message: record.reason)
    case .refused(let status, let message): return .refused(status: status, message: message)
    }
  }

  /// Looks how a write ended whose answer was lost.
  private func settle(_ project: Project) async throws -> WriteOutcome {
    switch try await look(at: project.id) {
    case .record(let record, _) where record.project.hasContents(of: project):
      .stored(named(record.digest, try await listingForm()) ?? record.digest)
    case .record, .absent, .unreadable: .preconditionFailed
    case .refused(let status, let message): .refused(status: status, message: message)
    }
  }

  // MARK: Delete

  private func delete(_ id: ProjectID, _ condition: WriteCondition) async throws -> WriteOutcome {
    var tag: EntityTag?
    let isDirect = isHonoured(condition, tag: &tag)
    if !isDirect {
      switch try await check(id, condition) {
      case .holds(let current): tag = current
      case .isAbsent: return .deleted
      case .differs: return .preconditionFailed
      case .refused(let status, let message):
        return .refused(status: status, message: message)
      }
    }
    return try await delete(id, condition, tag, isDirect: isDirect)
  }

  private func delete(
    _ id: ProjectID, _ condition: WriteCondition, _ tag: EntityTag?, isDirect: Bool
  ) async throws -> WriteOutcome {
    let request = conditional(session.request(.delete, itemURL(id)), condition, tag)
    let answer = try await session.send(
      record: request,
      beforeRetry: recheck(id, condition, unless: isDirect))
    switch answer {
    case .stopped: return try await isGone(id) ? .deleted : .preconditionFailed
    case .failed(let status, let message): return .refused(status: status, message: message)
    case .response(let response, let afterTrouble):
      switch response.status {
      case 404, 410: return .deleted
      case 200..<300:
        try checkMediaType(response, request)
        if response.status != 202 { return .deleted }
        return try await isGone(id)
          ? .deleted : .refused(status: 202, message: "accepted, and not carried out")
      case 409, 412:
        if afterTrouble, try await isGone(id) { return .deleted }
        guard let shorter = tag?.withoutEncoding else { return .preconditionFailed }
        return try await delete(id, condition, shorter, isDirect: isDirect)
      default: return .refused(status: response.status, message: session.words(of: response))
      }
    }
  }

  private func isGone(_ id: ProjectID) async throws -> Bool {
    if case .absent = try await look(at: id) { true } else { false }
  }
}
