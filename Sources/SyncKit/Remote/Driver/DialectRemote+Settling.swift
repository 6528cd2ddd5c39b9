extension DialectRemote {
  /// How a write ended before it was sent, or what was seen of the record that it may replace.
  enum Check {
    case ended(WriteOutcome)
    case holds(RemoteRecord?)
  }

  /// A version that is younger, by the server's clock, is not replaced: versions that tell moments by the second
  /// could not tell the two from each other.
  private static var settledAge: Duration { .seconds(2) }

  /// Looks whether the conditions of writes hold that no request can carry.
  func check(_ writes: [EncodedWrite]) async throws -> [Check] {
    var checks = zip(writes, try await fetch(writes.map(\.id))).map(check)
    let youngest = zip(writes, checks).compactMap { write, check in
      if case .holds(let record?) = check, !write.isDelete { record.age } else { nil }
    }.min()
    if let youngest, youngest < Self.settledAge {
      try await session.clock.sleep(Self.settledAge - max(youngest, .zero))
      checks = zip(writes, try await fetch(writes.map(\.id))).map(check)
    }
    return checks
  }

  private func check(_ write: EncodedWrite, _ found: FetchOutcome) -> Check {
    switch (found, write.write.condition) {
    case (.absent, .matches): return .ended(write.isDelete ? .deleted : .preconditionFailed)
    case (.absent, _): return .holds(nil)
    case (.record(let record), .matches(let digest)):
      // A version that tells less than a stamp may be that of other contents.
      let isSame =
        record.version == digest.version
        && digest.updatedAt.map { $0 == record.project.updatedAt } ?? true
      return isSame ? .holds(record) : .ended(.preconditionFailed)
    case (.record, _), (.unreadable, _): return .ended(.preconditionFailed)
    case (.refused(let status, let message), _):
      return .ended(.refused(status: status, message: message))
    }
  }

  /// Says how writes ended, and reads back what the answer leaves open.
  ///
  /// - Parameter afterTrouble: whether an earlier attempt may have been carried out, its answer lost.
  func settle(
    _ items: [Indexed], _ found: [ItemOutcome], afterTrouble: Bool
  ) async throws -> Ended {
    var ended = Ended()
    var open: [(item: Indexed, isAcknowledged: Bool)] = []
    for (item, outcome) in zip(items, found) {
      switch outcome {
      case .stored(let version?, let etag, let stamp):
        ended.outcomes.append((item.index, .stored(item.write.digest(version, etag, stamp))))
      case .stored(nil, _, _): open.append((item, true))
      case .unnamed(let moment):
        ended.unnamed.append(item)
        ended.unnamed[ended.unnamed.count - 1].write.answeredAt = moment
      case .deleted: ended.outcomes.append((item.index, .deleted))
      case .conflict:
        // Some servers say so of a deletion that has nothing to delete, too.
        if afterTrouble || item.write.isDelete {
          open.append((item, false))
        } else {
          ended.outcomes.append((item.index, .preconditionFailed))
        }
      case .refused(let status, let message), .again(let status, let message):
        ended.outcomes.append((item.index, refused(status, message)))
      }
    }
    ended.outcomes += try await read(open)
    return ended
  }

  func refused(_ status: Int, _ message: String) -> WriteOutcome {
    var words = ServerWords.cut(session.redaction.applied(to: message))
    if let meaning = dialect.words(of: status) {
      words = words.isEmpty || words.hasPrefix("HTTP ") ? meaning : "\(meaning) (\(words))"
    }
    return .refused(status: status, message: words.isEmpty ? "HTTP \(status)" : words)
  }

  /// Finds the versions of records that were written by answers which do not name them: many at once, where
  /// that can be done, or each by reading it.
  func name(_ items: [Indexed]) async throws -> [(Int, WriteOutcome)] {
    let versions = try await dialect.versions(of: items.map(\.write))
    var ended: [(Int, WriteOutcome)] = []
    var open: [(item: Indexed, isAcknowledged: Bool)] = []
    for item in items {
      if let version = versions[item.write.id] {
        ended.append((item.index, .stored(item.write.digest(version, nil, nil))))
      } else {
        open.append((item, true))
      }
    }
    return ended + (try await read(open))
  }

  private func read(
    _ open: [(item: Indexed, isAcknowledged: Bool)]
  ) async throws -> [(Int, WriteOutcome)] {
    guard !open.isEmpty else { return [] }
    let records = try await fetch(open.map(\.item.write.id))
    return zip(open, records).map { open, record in
      let outcome = outcome(of: open.item.write, isAcknowledged: open.isAcknowledged, record)
      return (open.item.index, outcome)
    }
  }

  private func outcome(
    of write: EncodedWrite, isAcknowledged: Bool, _ found: FetchOutcome
  ) -> WriteOutcome {
    switch (write.write, found) {
    case (.put(let project, _), .record(let record)):
      let isOurs =
        isAcknowledged
        ? record.project.isStored(from: project) : record.project.hasContents(of: project)
      return isOurs ? .held(record, sent: project) : .preconditionFailed
    case (.put, .absent) where isAcknowledged:
      return .refused(status: 0, message: "the remote said it was stored, and does not have it")
    case (.delete, .absent): return .deleted
    case (_, .refused(let status, let message)): return refused(status, message)
    case (_, .unreadable(let record)) where isAcknowledged:
      return .refused(status: 0, message: record.reason)
    default: return .preconditionFailed
    }
  }
}

extension RemoteWrite {
  var condition: WriteCondition {
    switch self {
    case .put(_, let condition), .delete(_, let condition): condition
    }
  }
}

extension EncodedWrite {
  fileprivate var isDelete: Bool { if case .delete = write { true } else { false } }

  /// What the remote holds after this write.
  fileprivate func digest(_ version: Version, _ etag: String?, _ stamp: Timestamp?) -> RemoteDigest
  {
    var updatedAt = stamp
    if case .put(let project, _) = write { updatedAt = updatedAt ?? project.updatedAt }
    return RemoteDigest(
      id: id, updatedAt: updatedAt ?? Timestamp(microseconds: 0), version: version, etag: etag)
  }
}
