/// What a full comparison of both sides found.
public struct Verification: Sendable, Equatable {
  /// One id that is not the same on both sides.
  public struct Finding: Sendable, Equatable {
    public enum Kind: String, Sendable {
      case onlyLocal, onlyRemote
      /// The contents differ, whatever the stamps say.
      case differs
      /// One side's record cannot be read.
      case unreadable
    }

    public var id: String
    public var kind: Kind
    /// The names of the fields that differ, in the order of the record; none for the other kinds.
    public var fields: [String]
    /// Why it cannot be read; empty for the other kinds.
    public var message: String

    public init(id: String, kind: Kind, fields: [String] = [], message: String = "") {
      self.id = id
      self.kind = kind
      self.fields = fields
      self.message = message
    }
  }

  /// Records that are the same on both sides, contents included.
  public var equal = 0
  public var onlyLocal = 0
  public var onlyRemote = 0
  public var differing = 0
  public var unreadable = 0

  public init() {}

  public var isEqual: Bool { differences == 0 }

  /// Ids that are not the same on both sides.
  public var differences: Int { onlyLocal + onlyRemote + differing + unreadable }

  mutating func count(_ kind: Finding.Kind) {
    switch kind {
    case .onlyLocal: onlyLocal += 1
    case .onlyRemote: onlyRemote += 1
    case .differs: differing += 1
    case .unreadable: unreadable += 1
    }
  }
}

extension SyncEngine {
  /// Compares both sides record by record, contents included, and changes nothing on either.
  ///
  /// Stamps are not compared: a server may keep its own. A record that is found to differ is read
  /// once more on both sides before it is told, since people go on working meanwhile. Holds a bounded
  /// number of records in memory.
  ///
  /// - Parameter found: called with each id that is not the same, in the order of ids; those that the
  ///   remote lists unreadably come last.
  /// - Throws: `SyncError` when either side cannot be read and trusted; `CancellationError`; what
  ///   `found` throws.
  public func verify(
    found: @escaping @Sendable (Verification.Finding) async throws -> Void
  ) async throws -> Verification {
    try await store.gate.pass {
      do {
        try await store.verifyIntegrity(marking: false)
        return try await Verifier(run: makeRun(takesNotes: false), found: found).perform()
      } catch {
        if Task.isCancelled { throw CancellationError() }
        throw error
      }
    }
  }
}

/// One comparison: the listing is spilled, then both sides are walked in the order of ids.
private struct Verifier: Sendable {
  let run: SyncRun
  let found: @Sendable (Verification.Finding) async throws -> Void

  func perform() async throws -> Verification {
    try await run.store.beginPlan()
    _ = try await run.list(since: nil, keepsRecords: true)
    var result = Verification()
    var last: ProjectID?
    var size = PageSize()
    while true {
      let page = try await run.store.comparedRecords(after: last, limit: size.records)
      guard let end = page.last else { break }
      last = end.id
      let remotes = try await contents(of: page)
      size.learn(from: remotes)
      for (pair, remote) in zip(page, remotes) {
        guard let finding = try await settled(pair.id, pair.local, remote) else {
          result.equal += 1
          continue
        }
        result.count(finding.kind)
        try await found(finding)
      }
    }
    for fault in try await run.store.listingFaults() {
      result.count(.unreadable)
      try await found(.init(id: fault.id, kind: .unreadable, message: fault.reason))
    }
    return result
  }

  /// The remote's records: as listed, or fetched where the listing carries no contents.
  private func contents(of page: [ComparedRecord]) async throws -> [FetchOutcome] {
    let missing = page.filter { $0.isListed && $0.listed == nil }.map(\.id)
    var fetched = try await run.fetch(missing).makeIterator()
    return page.map { pair in
      guard pair.isListed else { return .absent }
      return pair.listed.map { .record($0) } ?? fetched.next() ?? .absent
    }
  }

  /// Nil where both sides are the same, at the second look at the latest.
  private func settled(
    _ id: ProjectID, _ local: Project?, _ remote: FetchOutcome
  ) async throws -> Verification.Finding? {
    guard Self.finding(id, local, remote) != nil else { return nil }
    let now = try await run.store.projects([id]).first ?? nil
    return Self.finding(id, now, try await run.fetch([id]).first ?? .absent)
  }

  private static func finding(
    _ id: ProjectID, _ local: Project?, _ remote: FetchOutcome
  ) -> Verification.Finding? {
    if let complaint = remote.complaint {
      return .init(id: id.string, kind: .unreadable, message: complaint)
    }
    switch (local, remote.record?.project) {
    case (nil, nil): return nil
    case (nil, _?): return .init(id: id.string, kind: .onlyRemote)
    case (_?, nil): return .init(id: id.string, kind: .onlyLocal)
    case (let local?, let remote?):
      guard ContentComparison(local: local, remote: remote) != .same else { return nil }
      let fields = FieldDifference.between(local: local, remote: remote, base: nil).map(\.name)
      return .init(id: id.string, kind: .differs, fields: fields)
    }
  }
}
