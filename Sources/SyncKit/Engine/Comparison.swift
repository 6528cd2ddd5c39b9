/// Settles what the stamps leave open, by reading and comparing both contents.
struct Comparison: Sendable {
  let run: SyncRun

  func settle(_ difference: inout Difference) async throws {
    var last: ProjectID?
    var size = PageSize()
    while true {
      let page = try await run.store.plannedOperations(
        .compare, after: last, limit: size.records)
      guard let end = page.last else { return }
      last = end.id
      let locals = try await run.store.projects(page.map(\.id))
      let remotes = try await run.contents(of: page)
      size.learn(from: remotes)
      for (operation, (local, remote)) in zip(page, zip(locals, remotes)) {
        try await settle(operation, local: local, remote: remote, &difference)
      }
    }
  }

  private func settle(
    _ operation: PlannedOperation, local: Project?, remote: FetchOutcome,
    _ difference: inout Difference
  ) async throws {
    difference.counts[.compare] -= 1
    var action: PlanAction?
    var found: RemoteDigest?
    var contents: [UInt8]?
    switch remote {
    case .unreadable, .refused:
      action = .setAside
      try await run.store.noteFault(operation.id, remote.complaint ?? "cannot be read")
    case .absent:
      action = .unfound
    case .record(let record):
      // The local record may have changed since it was planned; the next run sees that.
      guard let local, local.updatedAt == operation.local?.updatedAt else {
        difference.deferred += 1
        try await run.store.settle(operation.id, as: nil)
        return
      }
      // So may the remote's since the listing: what was compared is what is decided on. Its stamp may
      // not have been told before.
      if record.version != operation.remote?.version || operation.remote?.updatedAt == nil {
        found = record.digest
      }
      action = PlanAction(
        try await run.decide(
          difference.rules, local: local, remote: record, base: operation.base
        ).decision)
      // What is read once is not asked for again, but where only the remote's answer has all of it.
      if action?.needsContents == true, record.others.json.isEmpty {
        contents = RecordEncoder().encode(record.project)
      }
    }
    if let action { difference.counts[action] += 1 } else { difference.counts.unchanged += 1 }
    try await run.store.settle(
      operation.id, as: action, isSame: action == .adopt, remote: found, contents: contents)
  }
}

extension SyncRun {
  /// Decides by both contents, and by those that were agreed before where the rules are to merge.
  func decide(
    _ rules: PlanRules, local: Project, remote: RemoteRecord, base: BaseRow?
  ) async throws -> (decision: Decision, merged: Project?) {
    let contents = ContentComparison(local: local, remote: remote.project)
    var agreed: Project?
    if rules.reconciler.conflicts == .merge, let base, base.isSame {
      agreed = try await store.superseded(local.id, at: base.entry.localUpdatedAt)
    }
    let decision = rules.reconciler.decide(
      local: LocalEntry(updatedAt: local.updatedAt), remote: remote.digest.entry, base: base?.entry,
      contents: contents, canMerge: agreed != nil)
    if case .conflict = decision, try await store.hasSuperseded(remote.project) {
      let known = rules.reconciler.decide(
        local: LocalEntry(updatedAt: local.updatedAt), remote: remote.digest.entry,
        base: remote.digest.agreement, contents: contents)
      return (known, nil)
    }
    guard decision == .conflict(winner: .merged), let agreed,
      case .different(let greater) = contents
    else { return (decision, nil) }
    let merge = RecordMerge(
      base: agreed, local: local, remote: remote.project, greaterHash: greater)
    return (merge.decision, merge.project)
  }

  /// The remote's records of these operations: from the listing where it carried them, else fetched.
  func contents(of operations: [PlannedOperation]) async throws -> [FetchOutcome] {
    let missing = operations.filter { $0.listed == nil }.map(\.id)
    var fetched = try await fetch(missing).makeIterator()
    return operations.map { operation in
      operation.listed.map { .record($0) } ?? fetched.next() ?? .absent
    }
  }

  /// Fetches any number of records, in requests of the size that the remote takes.
  func fetch(_ ids: [ProjectID]) async throws -> [FetchOutcome] {
    guard !ids.isEmpty else { return [] }
    let limits = await remote.limits
    let chunks = ids.chunks(of: max(1, limits.fetchesPerRequest))
    let requests = chunks.map { chunk in Single { try await remote.fetch(chunk) } }
    return try await Single.zip(requests, maxConcurrent: limits.concurrency).run().flatMap { $0 }
  }
}

extension FetchOutcome {
  var record: RemoteRecord? {
    if case .record(let record) = self { record } else { nil }
  }

  /// The status that the record was refused with; 0 where it was not.
  var status: Int {
    if case .refused(let status, _) = self { status } else { 0 }
  }

  /// The same without the text of the record, for what needs only its version.
  var withoutContents: FetchOutcome {
    guard case .record(var record) = self else { return self }
    record.project = Project(id: record.project.id, updatedAt: record.project.updatedAt)
    return .record(record)
  }

  /// Why the record could not be had; nil where it could, or is not there.
  var complaint: String? {
    switch self {
    case .record, .absent: nil
    case .unreadable(let fault): fault.reason
    case .refused(let status, let message): "\(status) \(message)"
    }
  }
}

extension Array {
  func chunks(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
