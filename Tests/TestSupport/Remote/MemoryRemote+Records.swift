public import SyncKit
import Synchronization

extension MemoryRemote {
  /// What the remote holds.
  public var projects: [ProjectID: Project] {
    state.withLock { $0.records.mapValues(\.project) }
  }

  /// The records as a fetch would name them, in the order of their ids.
  public var records: [RemoteRecord] {
    state.withLock { state in
      state.records.values.sorted { $0.project.id < $1.project.id }.map { state.named($0) }
    }
  }

  public var collectionVersion: CollectionVersion? { state.withLock { $0.collectionVersion } }

  /// Every request so far.
  public var log: [MemoryRequest] { state.withLock { $0.log } }

  /// The writes asked for so far, refused ones too.
  public var writes: [RemoteWrite] {
    log.compactMap { if case .write(let write) = $0 { write } else { nil } }
  }

  /// How many follow what the remote tells.
  public var followers: Int { state.withLock { $0.followers.count } }

  /// How often somebody asked for fresh connections.
  public var freshConnections: Int { state.withLock { $0.freshConnections } }

  /// Every follower's connection is lost.
  public func dropFollowers() {
    let followers = state.withLock { Array($0.followers.values) }
    for follower in followers { follower.finish(throwing: MemoryFault.offline.error(of: url)) }
  }

  /// How often changes were told, rather than a whole listing.
  public var toldChanges: Int { state.withLock { $0.toldChanges } }

  /// How many questions about ranges were answered.
  public var toldRanges: Int { state.withLock { $0.toldRanges } }

  public func clearLog() { state.withLock { $0.log = [] } }

  /// Another device stores a record, exactly as given.
  public func put(_ project: Project) { state.withLock { $0.store(project) } }

  /// What a backup keeps.
  public struct Backup: Sendable {
    fileprivate var records: [ProjectID: RemoteRecord]
    fileprivate var revision: Int
    fileprivate var past: Set<String>
    fileprivate var changed: [ProjectID: Int]
  }

  public func backup() -> Backup {
    state.withLock {
      Backup(records: $0.records, revision: $0.revision, past: $0.past, changed: $0.changed)
    }
  }

  /// The server is put back to the state of a backup, and counts on from there.
  public func putBack(_ backup: Backup) {
    state.withLock { state in
      (state.records, state.revision, state.past) = (backup.records, backup.revision, backup.past)
      state.changed = backup.changed
      state.era += 1
    }
  }

  /// The contents change and no version does, as on a disk that rots.
  public func corrupt(_ id: ProjectID, title: String) {
    state.withLock { $0.records[id]?.project.title = title }
  }

  /// Another device removes a record.
  public func remove(_ id: ProjectID) { state.withLock { $0.remove(id) } }

  /// What changed so far is told to nobody any more.
  public func forgetChanges() { state.withLock { $0.forget() } }

  /// Everything goes, as when the server is replaced by a new one; `remoteID` stays.
  public func removeAll() {
    state.withLock { state in
      state.records = [:]
      state.revision += 1
      state.forget()
      state.announce()
    }
  }
}

extension MemoryRemote.State {
  var collectionVersion: CollectionVersion? {
    behaviour.hasCollectionVersion ? CollectionVersion("\"c\(revision)\(suffix)\"") : nil
  }

  /// Tells apart what is counted again after the remote was put back.
  private var suffix: String { era == 0 ? "" : ".\(era)" }

  mutating func store(_ project: Project) {
    revision += 1
    records[project.id] = RemoteRecord(
      project: project, version: Version(project.updatedAt), etag: "\"r\(revision)\(suffix)\"")
    changed[project.id] = revision
    announce()
  }

  mutating func remove(_ id: ProjectID) {
    guard let record = records.removeValue(forKey: id) else { return }
    revision += 1
    changed[id] = revision
    deleted[id] = record.project
    announce()
  }

  mutating func forget() { (forgotten, changed, deleted) = (revision, [:], [:]) }

  /// What changed since a version; nil where it is not told.
  func changes(since known: CollectionVersion) -> (Listing, [RemoteChange])? {
    guard behaviour.hasChanges, past.contains(known.raw),
      let revision = Int(known.raw.dropFirst(2).prefix { $0.isNumber }), revision >= forgotten
    else { return nil }
    var listing = Listing(
      isUnchanged: known == collectionVersion, version: collectionVersion,
      remoteID: behaviour.remoteID, dialect: behaviour.dialect)
    listing.isPartial = !listing.isUnchanged
    let changes = changed.filter { $0.value > revision }.sorted { $0.value < $1.value }
    return (
      listing,
      changes.map { id, _ in
        records[id].map { .stored(named($0).digest) } ?? .deleted(id)
      }
    )
  }

  /// Answers a question about ranges, as a server of few records would: by all of them.
  mutating func compare(
    _ question: RangeQuestion, since known: CollectionVersion?
  ) throws -> (listing: Listing, answer: RangeAnswer)? {
    guard behaviour.hasComparison, behaviour.answersComparison, let remoteID = behaviour.remoteID
    else { return nil }
    var listing = Listing(
      version: collectionVersion, remoteID: remoteID, dialect: behaviour.dialect)
    listing.isPartial = true
    listing.isRolledBack =
      known != collectionVersion && (known.map { !past.contains($0.raw) } ?? false)
    let all = records.values.map { named($0).digest }.sorted { $0.id < $1.id }
    let hashing = RangeHashing.keyed(by: remoteID)
    let items = all.map { RangeItem($0.id, $0.version) }
    let set = ChunkedRanges(
      ChunkedRanges.Chunk.chunks(of: items, hashing: hashing), hashing: hashing,
      reader: .init(items))
    let answer = try RangeResponder.answer(question, from: set) { range in
      all.filter { range.contains($0.id) }
    }
    toldRanges += 1
    return (listing, answer)
  }

  /// A record with its version in the form that this remote's listings use.
  func named(_ record: RemoteRecord) -> RemoteRecord {
    var record = record
    if behaviour.hasETags, let etag = record.etag {
      record.version = Version(etag)
    } else {
      record.version = Version(record.project.updatedAt)
      record.etag = nil
    }
    return record
  }

  func entries() -> [ListedRecord] {
    let shown = records.values.filter { !behaviour.hidden.contains($0.project.id) }
      .sorted { $0.project.id < $1.project.id }
      .map { named($0) }
    return shown.map { record in
      var digest = record.digest
      if !behaviour.tellsStamps { digest.updatedAt = nil }
      return behaviour.listsRecords ? .record(record) : .digest(digest)
    } + behaviour.added
  }

  mutating func carryOut(_ write: RemoteWrite) -> WriteOutcome {
    let current = records[write.id].map { named($0) }
    switch write {
    case .put(var project, let condition):
      guard holds(condition, of: current) else { return .preconditionFailed }
      project.updatedAt = kept(project.updatedAt)
      if behaviour.remembersDeletions, let deleted = deleted[project.id],
        condition == .new && deleted == project
          || condition == .lost && deleted.updatedAt >= project.updatedAt
      {
        return .deletedSince(Version("deleted-\(changed[project.id] ?? 0)"))
      }
      let sent = project
      behaviour.alters?(&project)
      store(project)
      guard let record = records[project.id].map(named) else { return .preconditionFailed }
      return record.project.hasContents(of: sent)
        ? .stored(record.digest) : .altered(record.digest)
    case .delete(let id, let condition):
      guard current != nil else { return .deleted }
      guard holds(condition, of: current) else { return .preconditionFailed }
      remove(id)
      return .deleted
    }
  }

  private func holds(_ condition: WriteCondition, of current: RemoteRecord?) -> Bool {
    guard behaviour.honoursConditions else { return true }
    switch condition {
    case .absent, .new, .lost: return current == nil
    case .matches(let digest): return current?.version == digest.version
    }
  }

  private func kept(_ stamp: Timestamp) -> Timestamp {
    switch behaviour.stamps {
    case .kept: stamp
    case .truncated(let unit):
      Timestamp(microseconds: stamp.microseconds - stamp.microseconds.remainder(floor: unit))
    case .set(let now): now()
    }
  }
}

extension Int64 {
  /// The remainder of a division that rounds down: never negative.
  fileprivate func remainder(floor divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

extension ChunkedRanges.Reader {
  /// Reads items that are at hand, in the order of their ids.
  package init(_ items: [RangeItem]) {
    func index(of id: ProjectID) -> Int {
      var (low, high) = (0, items.count)
      while low < high {
        let middle = (low + high) / 2
        if items[middle].id < id { low = middle + 1 } else { high = middle }
      }
      return low
    }
    self.init { range, body in
      let start = range.lower.map(index) ?? 0
      items[start..<max(start, range.upper.map(index) ?? items.count)].forEach(body)
    } last: { id in
      items[..<index(of: id)].last?.id
    }
  }
}
