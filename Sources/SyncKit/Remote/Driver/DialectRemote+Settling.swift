extension DialectRemote {
  /// Looks whether the conditions of writes hold that no request can carry.
  ///
  /// - Returns: how each ended that does not hold, nil where it does.
  func check(_ writes: [EncodedWrite]) async throws -> [WriteOutcome?] {
    let found = try await fetch(writes.map(\.id))
    return zip(writes, found).map { write, found in
      let condition: WriteCondition
      var isDelete = false
      switch write.write {
      case .put(_, let asked): condition = asked
      case .delete(_, let asked): (condition, isDelete) = (asked, true)
      }
      switch (found, condition) {
      case (.absent, .matches): return isDelete ? .deleted : .preconditionFailed
      case (.absent, _): return nil
      case (.record(let record), .matches(let digest)):
        return record.version == digest.version ? nil : .preconditionFailed
      case (.record, _), (.unreadable, _): return .preconditionFailed
      case (.refused(let status, let message), _):
        return .refused(status: status, message: message)
      }
    }
  }

  /// Says how writes ended, and reads back what the answer leaves open.
  ///
  /// - Parameter afterTrouble: whether an earlier attempt may have been carried out, its answer lost.
  func settle(
    _ items: [Indexed], _ found: [ItemOutcome], afterTrouble: Bool
  ) async throws -> [(Int, WriteOutcome)] {
    var ended: [(Int, WriteOutcome)] = []
    var open: [(item: Indexed, isAcknowledged: Bool)] = []
    for (item, outcome) in zip(items, found) {
      switch outcome {
      case .stored(let version?, let etag, let stamp):
        ended.append((item.index, .stored(item.write.digest(version, etag, stamp))))
      case .stored(nil, _, _): open.append((item, true))
      case .deleted: ended.append((item.index, .deleted))
      case .conflict:
        // Some servers say so of a deletion that has nothing to delete, too.
        if afterTrouble || item.write.isDelete {
          open.append((item, false))
        } else {
          ended.append((item.index, .preconditionFailed))
        }
      case .refused(let status, let message), .again(let status, let message):
        let words = ServerWords.cut(session.redaction.applied(to: message))
        ended.append(
          (item.index, .refused(status: status, message: words.isEmpty ? "HTTP \(status)" : words)))
      }
    }
    guard !open.isEmpty else { return ended }
    let records = try await fetch(open.map(\.item.write.id))
    for ((item, isAcknowledged), record) in zip(open, records) {
      ended.append((item.index, outcome(of: item.write, isAcknowledged: isAcknowledged, record)))
    }
    return ended
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
    case (_, .refused(let status, let message)):
      return .refused(status: status, message: message)
    case (_, .unreadable(let record)) where isAcknowledged:
      return .refused(status: 0, message: record.reason)
    default: return .preconditionFailed
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
