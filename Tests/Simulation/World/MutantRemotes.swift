import SyncKit

/// A remote that passes everything on to another; the mutants change one thing each.
protocol PassingRemote: RemoteStore {
  var base: any RemoteStore { get }
}

extension PassingRemote {
  var url: String { base.url }
  var identity: String { base.identity }
  var traffic: HTTPTraffic { base.traffic }
  var limits: RemoteLimits { get async { await base.limits } }
  var conditionalWrites: Bool? { get async { await base.conditionalWrites } }

  func list(
    since known: CollectionVersion?, receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Listing {
    try await base.list(since: known, receive: receive)
  }

  func changes(
    since known: CollectionVersion, receive: @Sendable ([RemoteChange]) async throws -> Void
  ) async throws -> Listing? {
    try await base.changes(since: known, receive: receive)
  }

  var mayCompare: Bool { get async { await base.mayCompare } }

  func compare(
    _ question: RangeQuestion, since known: CollectionVersion?
  ) async throws -> (listing: Listing, answer: RangeAnswer)? {
    try await base.compare(question, since: known)
  }

  func fetch(_ ids: [ProjectID]) async throws -> [FetchOutcome] { try await base.fetch(ids) }

  func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    try await base.write(writes)
  }
}

/// Says that everything was stored before it is.
struct AcknowledgedEarly: PassingRemote {
  let base: any RemoteStore

  func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    do {
      return try await base.write(writes)
    } catch is SyncError {
      return WriteResult(
        outcomes: writes.map { write in
          switch write {
          case .put(let project, _):
            .stored(
              RemoteDigest(
                id: project.id, updatedAt: project.updatedAt, version: Version("\"early\""),
                etag: "\"early\""))
          case .delete: .deleted
          }
        })
    }
  }
}

/// Writes over whatever is there.
struct Unconditional: PassingRemote {
  let base: any RemoteStore

  func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    var result = try await base.write(writes)
    for (index, write) in writes.enumerated() {
      for _ in 0..<5 where result.outcomes[index] == .preconditionFailed {
        let found = try await base.fetch([write.id]).first
        var condition = WriteCondition.absent
        if case .record(let record)? = found { condition = .matches(record.digest) }
        let again: RemoteWrite =
          switch write {
          case .put(let project, _): .put(project, condition)
          case .delete(let id, _): .delete(id, condition)
          }
        if let outcome = try await base.write([again]).outcomes.first {
          result.outcomes[index] = outcome
        }
      }
    }
    return result
  }
}

/// Appends records without asking whether they were deleted since.
struct Undeleting: PassingRemote {
  let base: any RemoteStore

  func write(_ writes: [RemoteWrite]) async throws -> WriteResult {
    try await base.write(
      writes.map { write in
        if case .put(let project, let condition) = write, condition == .new || condition == .lost {
          .put(project, .absent)
        } else {
          write
        }
      })
  }
}

/// Takes ids that look alike for one.
struct CharacterIDs: PassingRemote {
  let base: any RemoteStore

  func list(
    since known: CollectionVersion?, receive: @Sendable ([ListedRecord]) async throws -> Void
  ) async throws -> Listing {
    let seen = Seen()
    return try await base.list(since: known) { entries in
      try await receive(entries.filter { seen.insert($0.id) })
    }
  }

  func changes(
    since known: CollectionVersion, receive: @Sendable ([RemoteChange]) async throws -> Void
  ) async throws -> Listing? {
    let seen = Seen()
    return try await base.changes(since: known) { changes in
      try await receive(changes.filter { seen.insert($0.id) })
    }
  }

  /// Unchecked: it lives on the scheduler's thread alone.
  private final class Seen: @unchecked Sendable {
    private var ids: Set<String> = []

    func insert(_ id: String) -> Bool { ids.insert(id).inserted }
  }
}

extension RemoteChange {
  fileprivate var id: String {
    switch self {
    case .stored(let digest): digest.id.string
    case .deleted(let id), .absent(let id): id.string
    }
  }
}

extension ListedRecord {
  fileprivate var id: String {
    switch self {
    case .digest(let digest): digest.id.string
    case .record(let record): record.project.id.string
    case .unreadable(let fault): fault.id
    }
  }
}
