import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// A store in memory, a remote in memory, and the engine between them.
struct Rig: Sendable {
  let store: LocalStore
  let remote: MemoryRemote

  init(local: [String] = [], remote: [String] = []) async throws {
    store = try LocalStore(inMemory: ())
    self.remote = MemoryRemote()
    for id in local { try await write(id) }
    for id in remote { self.remote.put(try project(id)) }
  }

  func project(
    _ id: String, title: String? = nil, stamp: Int64 = 1_700_000_000_000_000
  ) throws -> Project {
    Project(
      id: try ProjectID(id), title: title ?? "title of \(id)",
      createdAt: Timestamp(microseconds: 1_600_000_000_000_000),
      updatedAt: Timestamp(microseconds: stamp))
  }

  /// Writes a record into the local store, as a program with plain SQL would.
  func write(_ id: String, title: String? = nil) async throws {
    try await store.sql(
      """
      INSERT INTO projects(id, title) VALUES(?1, ?2)
      ON CONFLICT(id) DO UPDATE SET title = excluded.title
      """, [.text(id), .text(title ?? "title of \(id)")])
  }

  func remove(_ ids: String...) async throws {
    for id in ids { try await store.sql("DELETE FROM projects WHERE id = ?", [.text(id)]) }
  }

  func engine(_ options: SyncOptions) -> SyncEngine {
    SyncEngine(store: store, remote: remote, options: options)
  }

  func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
    try await engine(options).synchronize()
  }

  static let theirStamp = Timestamp(microseconds: 1_700_000_000_000_001)

  /// Another device changes a record: its own copy of the remote's version, or where there is none
  /// of the local one. Its clock lies behind.
  func theirs(
    _ id: String, bumps: Bool = true, _ change: (inout Project) -> Void
  ) async throws {
    let id = try ProjectID(id)
    let here = try await store.project(id)
    guard var project = remote.projects[id] ?? here else { return }
    if bumps {
      // The stamps of this machine lie years later.
      let isTheirs = project.updatedAt.microseconds < 1_750_000_000_000_000
      project.updatedAt =
        isTheirs
        ? Timestamp(microseconds: project.updatedAt.microseconds + 1) : Self.theirStamp
    }
    change(&project)
    remote.put(project)
  }

  enum Moment: Sendable { case list, fetch, write }

  /// Does something at the start of the next request of a kind, once.
  func once(
    at moment: Moment, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let isDone = Mutex(false)
    remote.setPause { request in
      let isMoment =
        switch (request, moment) {
        case (.list, .list), (.fetch, .fetch), (.write, .write): true
        default: false
        }
      guard isMoment, !isDone.withLock({ $0 }) else { return }
      isDone.withLock { $0 = true }
      try await body()
    }
  }

  /// Ids and titles of the local store.
  func localTitles() async throws -> [String: String] {
    var titles: [String: String] = [:]
    for project in try await store.allProjects() { titles[project.id.string] = project.title }
    return titles
  }

  /// Ids and titles of the remote.
  var remoteTitles: [String: String] {
    var titles: [String: String] = [:]
    for (id, project) in remote.projects { titles[id.string] = project.title }
    return titles
  }

  /// One more run, which must find everything settled and write nothing on either side.
  func expectAtRest(
    _ options: SyncOptions = SyncOptions(), outcome: SyncReport.Outcome = .inSync,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    remote.clearLog()
    let before = try await store.allProjects()
    let report = try await sync(options)
    #expect(report.outcome == outcome, "\(report.message)", sourceLocation: sourceLocation)
    #expect(!report.wroteAnything, sourceLocation: sourceLocation)
    #expect(remote.writes.isEmpty, sourceLocation: sourceLocation)
    #expect(try await store.allProjects() == before, sourceLocation: sourceLocation)
  }
}

extension LocalStore {
  func sql(_ sql: String, _ values: [SQLValue] = []) throws {
    try database.run(sql, values)
  }

  func number(_ sql: String) throws -> Int64 { try database.integer(sql) ?? 0 }

  func allProjects() throws -> [Project] {
    var projects: [Project] = []
    try forEachProject { projects.append($0) }
    return projects
  }

  /// Titles of every version in the history of an id, the newest first.
  func historyTitles(_ id: String) throws -> [String] {
    try history(of: ProjectID(id)).map(\.project.title)
  }
}

extension SyncOptions {
  static let push = SyncOptions(direction: .push)
  static let pull = SyncOptions(direction: .pull)
  static let both = SyncOptions(direction: .both)
}
