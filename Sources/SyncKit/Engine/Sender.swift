/// Carries out the part of a plan that writes to the remote.
///
/// Each request is a `Completable`; they are zipped, a bounded number at a time, and one that fails
/// cancels no other. Before the remote's version of a record is replaced or removed, a copy of it is
/// in the store's history.
struct Sender: Sendable {
  let run: SyncRun
  let state: RunState

  /// The bytes of contents in a segment: the first are small, so that the server has work at once,
  /// and each is twice the one before up to the greatest. Four are in memory at a time, at the most.
  private static let segmentBytes = (first: 64 << 10, greatest: 512 << 10)

  /// Sends segments while the next are read. Where requests carry many records, a segment is one
  /// request and three are under way at a time, so that the server never waits for us.
  func perform() async throws {
    let limits = await run.remote.limits
    let segmentsAtOnce = limits.writesPerRequest > 1 ? min(3, limits.concurrency) : 1
    try await withThrowingTaskGroup(of: Void.self) { group in
      var underWay = 0
      var bytes = Self.segmentBytes.first
      var place = Place()
      var items = try await segment(&place, limits, bytes)
      while !items.isEmpty, state.trouble == nil {
        if underWay == segmentsAtOnce {
          try await group.next()
          underWay -= 1
        }
        group.addTask { [items] in try await send(items, limits) }
        underWay += 1
        bytes = min(2 * bytes, Self.segmentBytes.greatest)
        items = try await segment(&place, limits, bytes)
      }
      for try await _ in group {}
    }
    try state.checkTrouble()
  }

  /// How far the plan has been read.
  private struct Place {
    var actions = PlanAction.sends[...]
    var after: ProjectID?
  }

  /// The next operations of the plan, one action after the other: few of each are one request.
  private func segment(
    _ place: inout Place, _ limits: RemoteLimits, _ bytes: Int
  ) async throws -> [OutgoingRecord] {
    let limit = limits.writesPerRequest > 1 ? limits.writesPerRequest : 256
    var items: [OutgoingRecord] = []
    var left = bytes
    while let action = place.actions.first, left > 0, items.count < limit {
      let page = try await run.store.outgoing(
        action, after: place.after, limit: limit - items.count, maximumBytes: left)
      items += page
      left -= page.reduce(0) { $0 + ($1.project?.weight ?? 0) }
      place.after = page.last?.operation.id
      if page.isEmpty { place.actions.removeFirst() }
    }
    return items
  }

  private func send(_ items: [OutgoingRecord], _ limits: RemoteLimits) async throws {
    let requests = Self.requests(of: items, limits).map { items in
      // What concerns the whole remote stops the run rather than this request alone.
      Completable {
        guard state.trouble == nil else { return }
        do { try await write(items) } catch { state.stop(for: error) }
        state.countDone(items.count)
      }
    }
    try await Completable.zipDelayingErrors(requests, maxConcurrent: limits.concurrency).run()
  }

  /// Groups items into requests that the remote takes, by number and by size.
  private static func requests(of items: [OutgoingRecord], _ limits: RemoteLimits)
    -> [[OutgoingRecord]]
  {
    let total = items.reduce(0) { $0 + ($1.project?.weight ?? 0) }
    if items.count <= limits.writesPerRequest, total <= limits.bytesPerRequest { return [items] }
    var requests: [[OutgoingRecord]] = []
    var request: [OutgoingRecord] = []
    var bytes = 0
    for item in items {
      let weight = item.project?.weight ?? 0
      let isFull =
        request.count >= limits.writesPerRequest || bytes + weight > limits.bytesPerRequest
      if isFull, !request.isEmpty {
        requests.append(request)
        (request, bytes) = ([], 0)
      }
      request.append(item)
      bytes += weight
    }
    return request.isEmpty ? requests : requests + [request]
  }

  private func write(_ items: [OutgoingRecord]) async throws {
    let keepsOthers = await run.remote.keepsOthers
    let copies = try await keepCopies(of: items, keepsOthers)
    var operations: [PlannedOperation] = []
    var writes: [RemoteWrite] = []
    var changed: [PlannedOperation] = []
    operations.reserveCapacity(items.count)
    writes.reserveCapacity(items.count)
    for item in items {
      let operation = item.operation
      let copy = copies.isEmpty ? nil : copies[operation.id]
      if copy == nil, operation.needsCopy(keepsOthers) {
        changed.append(operation)
      } else if let complaint = copy?.complaint {
        // What cannot be read cannot be kept, and what is not kept is neither replaced nor removed.
        try await run.setAside(
          operation, status: copy?.status ?? 0,
          message: "its version there cannot be kept: \(complaint)", state)
      } else if let record = copy?.record, record.version != operation.remote?.version {
        changed.append(operation)
      } else if copy == .absent, operation.action == .deleteRemote {
        try await run.noteUnfound(operation.id, state)
      } else if copy == .absent {
        // It is listed and not found, or came and went: nothing is replaced of which there is no copy.
        changed.append(operation)
      } else if let write = operation.write(
        of: item.project, over: copy?.record, orAs: run.conditionOfNew)
      {
        operations.append(operation)
        writes.append(write)
      } else {
        // Written or removed here since the plan was made: the next run decides.
        state.countDeferred(1)
      }
    }
    if !writes.isEmpty {
      let result = try await run.remote.write(writes)
      state.noteVersions(of: result)
      var acknowledged: [Acknowledgement] = []
      acknowledged.reserveCapacity(writes.count)
      for (index, outcome) in result.outcomes.enumerated() {
        let operation = operations[index]
        if try await !settle(operation, writes[index], outcome, &acknowledged) {
          changed.append(operation)
        }
      }
      try await state.acknowledge(acknowledged)
    }
    for operation in changed { try await Redecision(run: run, state: state).settle(operation) }
  }

  /// Puts the remote's versions that are about to be replaced or removed into the history, durably.
  ///
  /// - Returns: what was found of the versions that had to be read for it.
  private func keepCopies(
    of items: [OutgoingRecord], _ keepsOthers: Bool
  ) async throws -> [ProjectID: FetchOutcome] {
    var needed = items.filter { $0.operation.needsCopy(keepsOthers) }.map(\.operation)[...]
    var copies: [ProjectID: FetchOutcome] = [:]
    var size = PageSize()
    while !needed.isEmpty {
      let page = Array(needed.prefix(size.records))
      needed = needed.dropFirst(page.count)
      let contents = try await run.contents(of: page)
      size.learn(from: contents)
      try await keep(page, contents)
      for (operation, outcome) in zip(page, contents)
      where try await isProven(operation, outcome.record) {
        copies[operation.id] = outcome.withoutContents
      }
    }
    return copies
  }

  /// Whether a record that nobody agreed on is the very one that was deleted here: the plan went by its
  /// stamp.
  private func isProven(
    _ operation: PlannedOperation, _ record: RemoteRecord?
  ) async throws -> Bool {
    guard operation.action == .deleteRemote, operation.base == nil, let record,
      run.options.direction == .both, !state.rules.isRolledBack
    else { return true }
    return try await !run.store.deletedHere([record.project]).isEmpty
  }

  private func keep(_ operations: [PlannedOperation], _ contents: [FetchOutcome]) async throws {
    var kept: [KeptVersion] = []
    for (operation, outcome) in zip(operations, contents) {
      guard let record = outcome.record else { continue }
      let reason: HistoryVersion.Reason =
        switch operation.action {
        case .deleteRemote: .deleted
        case .conflictLocalWins: .conflict
        default: .overwritten
        }
      kept.append(KeptVersion(of: record, reason: reason))
    }
    try await run.store.keep(kept)
  }

  /// - Returns: false when the id is to be decided again.
  private func settle(
    _ operation: PlannedOperation, _ write: RemoteWrite, _ outcome: WriteOutcome,
    _ acknowledged: inout [Acknowledgement]
  ) async throws -> Bool {
    switch (outcome, write) {
    case (.preconditionFailed, _), (.deletedSince, _): return false
    case (.stored(let digest), .put(let project, _)), (.altered(let digest), .put(let project, _)):
      state.update { report in
        if operation.action == .appendRemote {
          report.remote.appended += 1
        } else {
          report.remote.updated += 1
        }
        if operation.action == .conflictLocalWins { report.conflicts += 1 }
      }
      acknowledged.append(.agreed(project, digest, same: outcome == .stored(digest)))
    case (.stored, .delete), (.altered, .delete), (.deleted, _):
      state.update { $0.remote.deleted += 1 }
      acknowledged.append(.forgotten(operation.id))
    case (.refused(let status, let message), _):
      try await run.setAside(operation, status: status, message: message, state)
    }
    return true
  }
}

extension PlannedOperation {
  /// Whether the remote has a version that this replaces or removes and the history lacks.
  fileprivate func needsCopy(_ keepsOthers: Bool) -> Bool {
    action != .appendRemote && (!isRemoteCopyHeld || keepsOthers && action == .deleteRemote)
  }

  /// The write that carries this operation out on the remote.
  ///
  /// - Parameters:
  ///   - project: what the local store holds now.
  ///   - copy: the remote's version, where it was read.
  ///   - new: the condition where the remote has none.
  /// - Returns: nil when the local record is no longer as the plan saw it.
  fileprivate func write(
    of project: Project?, over copy: RemoteRecord?,
    orAs new: (Project, BaseEntry?) -> WriteCondition
  ) -> RemoteWrite? {
    guard var digest = remote ?? copy?.digest else {
      return project.map { .put($0, new($0, base?.entry)) }
    }
    digest.etag = copy?.etag ?? digest.etag
    digest.updatedAt = copy?.project.updatedAt ?? digest.updatedAt
    if action == .deleteRemote { return project == nil ? .delete(id, .matches(digest)) : nil }
    return project.map { .put($0, .matches(digest)) }
  }
}

extension Acknowledgement {
  /// Both sides hold `project`; the remote calls it `digest`.
  static func agreed(
    _ project: Project, _ digest: RemoteDigest, same: Bool = true
  ) -> Acknowledgement {
    .agreed(
      project.id, localUpdatedAt: project.updatedAt, remoteVersion: digest.version,
      etag: digest.etag, same: same, remoteUpdatedAt: digest.updatedAt)
  }
}
