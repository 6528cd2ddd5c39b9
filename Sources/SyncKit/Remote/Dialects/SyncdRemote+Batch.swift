extension SyncdRemote {
  func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    guard !writes.isEmpty else { return WriteResult(outcomes: []) }
    let lines = lines(for: writes)
    let limits = capabilities
    var result = WriteResult(outcomes: [])
    var start = 0
    while start < writes.count {
      var end = start + 1
      var kept = writes[start].keptDeletions
      while end < writes.count, end - start < limits.batch,
        writes[end].mayJoin(&kept),
        lines.ends[end] - lines.start(of: start) <= limits.bytes
      {
        end += 1
      }
      let part = try await send(writes[start..<end], lines)
      result = start == 0 ? part : result.followed(by: part)
      start = end
    }
    return result
  }

  /// The lines of a batch, one after the other.
  private struct Lines {
    var bytes: [UInt8] = []
    /// Where each of them ends.
    var ends: [Int] = []

    func start(of line: Int) -> Int { line == 0 ? 0 : ends[line - 1] }

    func text(_ range: Range<Int>) -> [UInt8] {
      let part = start(of: range.lowerBound)..<start(of: range.upperBound)
      return part.count == bytes.count ? bytes : Array(bytes[part])
    }
  }

  /// Sends one batch, in halves where it is too large for the remote.
  private func send(
    _ writes: ArraySlice<RemoteWrite>, _ lines: Lines
  ) async throws -> WriteResult {
    let body = lines.text(writes.indices)
    var request = session.request(.post, try endpoint("batch"), body: .bytes(body))
    request.headers.add("Content-Type", "application/x-ndjson")
    request.headers.add("Prefer", "return=minimal")
    if let kept = writes.lazy.compactMap(\.keptDeletions).first {
      request.headers.add("Syncd-Keep-Deletions", kept)
    }
    let (response, afterTrouble) = try await session.sendRepeated(
      collection: request, accepting: [413])
    if response.status == 413 {
      guard writes.count > 1 else {
        return WriteResult(
          outcomes: [.refused(status: 413, message: session.words(of: response))])
      }
      let middle = writes.startIndex + writes.count / 2
      let first = try await send(writes[..<middle], lines)
      return first.followed(by: try await send(writes[middle...], lines))
    }
    var result = WriteResult(outcomes: try outcomes(response, of: writes, request))
    if afterTrouble { try await settle(&result, writes) }
    result.version = response.headers["ETag"].map { CollectionVersion($0) }
    result.previous =
      afterTrouble ? nil : response.headers["Syncd-Previous-ETag"].map { CollectionVersion($0) }
    return result
  }

  private func lines(for writes: [RemoteWrite]) -> Lines {
    var lines = Lines()
    let hasCreates = capabilities.hasCreates
    lines.bytes.reserveCapacity(writes.reduce(0) { $0 + $1.weight })
    lines.ends.reserveCapacity(writes.count)
    for write in writes {
      if hasCreates, let project = write.created {
        encoder.append(project, to: &lines.bytes)
        lines.bytes.append(json: "\n")
      } else {
        append(write, to: &lines.bytes)
      }
      lines.ends.append(lines.bytes.count)
    }
    return lines
  }

  /// Appends one line of a batch: `{"put":{…},"ifMatch":"…"}`.
  private func append(_ write: RemoteWrite, to bytes: inout [UInt8]) {
    let condition: WriteCondition
    switch write {
    case .put(let project, let asked):
      bytes.append(json: "{\"put\":")
      encoder.append(project, to: &bytes)
      condition = asked
    case .delete(let id, let asked):
      bytes.append(json: "{")
      bytes.appendMember("delete", string: id.string, first: true)
      condition = asked
    }
    switch condition {
    case .absent, .new, .lost: bytes.appendMember("ifNoneMatch", string: "*")
    case .matches(let digest):
      bytes.appendMember("ifMatch", string: digest.etag ?? digest.version.raw)
    }
    bytes.append(json: "}\n")
  }

  /// Reads the outcomes, in the order of the writes: one a line, or the run of them that a line
  /// stands for.
  private func outcomes(
    _ response: HTTPResponse, of writes: ArraySlice<RemoteWrite>, _ request: HTTPRequest
  ) throws -> [WriteOutcome] {
    var outcomes: [WriteOutcome] = []
    outcomes.reserveCapacity(writes.count)
    for line in try resultLines(response, request) {
      let rest = writes.dropFirst(outcomes.count)
      if let etags = line.etags {
        guard etags.count <= rest.count, line.status.map({ (200..<300) ~= $0 }) ?? false else {
          throw session.violation(request.url, "results for more records than were sent")
        }
        for (write, etag) in zip(rest, etags) {
          guard case .put(let project, _) = write else {
            throw session.violation(request.url, "a deleted record that was stored")
          }
          outcomes.append(stored(project, etag: etag, updatedAt: nil))
        }
      } else if let write = rest.first {
        outcomes.append(try outcome(line, of: write, request))
      } else {
        throw session.violation(request.url, "more results than the \(writes.count) records sent")
      }
    }
    guard outcomes.count == writes.count else {
      throw session.violation(
        request.url, "\(outcomes.count) results came for \(writes.count) records")
    }
    return outcomes
  }

  private func outcome(
    _ line: ResultLine, of write: RemoteWrite, _ request: HTTPRequest
  ) throws(SyncError) -> WriteOutcome {
    guard let status = line.status, line.names(write.id, orNone: status >= 400) else {
      throw session.violation(request.url, "a result that names another record")
    }
    switch status {
    case 404, 410:
      if case .delete = write { return .deleted }
      if status == 410, write.keptDeletions != nil, let etag = line.etag {
        return .deletedSince(Version(etag))
      }
      return refusal(status, line)
    case 200..<300:
      guard case .put(let project, _) = write else { return .deleted }
      guard let etag = line.etag else {
        throw session.violation(request.url, "a stored record without its etag")
      }
      return stored(project, etag: etag, updatedAt: line.updatedAt)
    case 409, 412: return .preconditionFailed
    default: return refusal(status, line)
    }
  }

  private func stored(_ project: Project, etag: String, updatedAt: Timestamp?) -> WriteOutcome {
    .stored(
      RemoteDigest(
        id: project.id, updatedAt: updatedAt ?? project.updatedAt, version: Version(etag),
        etag: etag))
  }

  private func refusal(_ status: Int, _ line: ResultLine) -> WriteOutcome {
    let words = ServerWords.cut(session.redaction.applied(to: line.detail ?? ""))
    return .refused(status: status, message: words.isEmpty ? "HTTP \(status)" : words)
  }

  /// Looks how those writes ended that an earlier attempt, whose answer was lost, may have done.
  private func settle(
    _ result: inout WriteResult, _ writes: ArraySlice<RemoteWrite>
  ) async throws {
    let doubtful = zip(result.outcomes.indices, writes).filter {
      result.outcomes[$0.0] == .preconditionFailed
    }
    guard !doubtful.isEmpty else { return }
    let found = try await fetch(doubtful.map(\.1.id))
    for ((index, write), found) in zip(doubtful, found) {
      switch (write, found) {
      case (.put(let project, _), .record(let record))
      where record.project.hasContents(of: project)
        && record.project.updatedAt == project.updatedAt:
        result.outcomes[index] = .stored(record.digest)
      case (.delete, .absent): result.outcomes[index] = .deleted
      default: break
      }
    }
  }
}

extension RemoteWrite {
  /// The deletions that it is not to undo, as a header says it: of the very version that it stores, or of
  /// later ones too. Nil where it undoes none, whatever the header says.
  fileprivate var keptDeletions: String? {
    switch self {
    case .put(_, .absent): "?0"
    case .put(_, .new): "?1"
    case .put(_, .lost): "?1;later"
    case .put(_, .matches), .delete: nil
    }
  }

  /// Whether it may be in a batch whose header is `kept`, which it settles where it is the first to say.
  fileprivate func mayJoin(_ kept: inout String?) -> Bool {
    guard let own = keptDeletions else { return true }
    kept = kept ?? own
    return own == kept
  }

  /// The record that it creates.
  fileprivate var created: Project? {
    switch self {
    case .put(let project, let condition) where condition.wantsNone: project
    default: nil
    }
  }

  /// About the bytes of its line.
  fileprivate var weight: Int {
    switch self {
    case .put(let project, _): project.weight + 256
    case .delete: 128
    }
  }
}

extension WriteResult {
  /// Two batches as one: the version before the first, while nobody wrote between them.
  fileprivate func followed(by next: WriteResult) -> WriteResult {
    WriteResult(
      outcomes: outcomes + next.outcomes, version: next.version,
      previous: version != nil && version == next.previous ? previous : nil)
  }
}
