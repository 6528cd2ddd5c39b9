import Dispatch
import TestSupport
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Local changes", .timeLimit(.minutes(2)))
struct LocalChangesTests {
  let file: TemporaryStore
  let store: LocalStore

  init() throws {
    file = try TemporaryStore()
    store = try file.open()
  }

  @Test("what another program writes is counted once")
  func counted() async throws {
    #expect(try await store.changesSince(0) == LocalChanges(latest: 0))
    try await file.shell("INSERT INTO projects(id) VALUES('a'),('b')")
    let first = try await store.changesSince(0)
    #expect(first.count == 2 && !first.areAllDeletions && !first.isStoreReplaced)
    #expect(try await store.changesSince(first.latest) == LocalChanges(latest: first.latest))
    try await file.shell("UPDATE projects SET title='x' WHERE id='a'")
    let second = try await store.changesSince(first.latest)
    #expect(second.count == 1 && second.latest > first.latest)
    #expect(try await store.changesSince(0).count == 2)
  }

  @Test("so is what this process writes by the store's own methods")
  func ownWrites() async throws {
    let project = try await store.add(ProjectDraft(title: "x"))
    let first = try await store.changesSince(0)
    #expect(first.count == 1)
    _ = try await store.edit(project.id, ProjectEdit(title: "y"))
    #expect(try await store.changesSince(first.latest).count == 1)
  }

  @Test("writes that change no project are none, nor is a checkpoint")
  func otherWrites() async throws {
    try await file.shell("INSERT INTO projects(id) VALUES('a')")
    let latest = try await store.changesSince(0).latest
    try await file.shell(
      """
      UPDATE projects SET title=title; CREATE TABLE mine(x); INSERT INTO mine VALUES(1);
      PRAGMA wal_checkpoint(TRUNCATE); VACUUM;
      """)
    #expect(try await store.changesSince(latest) == LocalChanges(latest: latest))
  }

  @Test("a checkpoint between change and look hides nothing")
  func checkpointed() async throws {
    try await file.shell("INSERT INTO projects(id) VALUES('a')")
    let latest = try await store.changesSince(0).latest
    try await file.shell("UPDATE projects SET title='x'; PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try await store.changesSince(latest).count == 1)
  }

  @Test("deletions alone are told apart; what no remote ever saw is none")
  func deletions() async throws {
    try await file.shell("INSERT INTO projects(id) VALUES('a'),('b'),('c')")
    let remote = MemoryRemote()
    _ = try await SyncEngine(store: store, remote: remote).synchronize()
    var latest = try await store.changesSince(0).latest
    try await file.shell("DELETE FROM projects WHERE id IN ('a','b')")
    let deleted = try await store.changesSince(latest, remote: remote.url)
    #expect(deleted.count == 2 && deleted.areAllDeletions)
    latest = deleted.latest
    try await file.shell("INSERT INTO projects(id) VALUES('d'); DELETE FROM projects WHERE id='d'")
    #expect(try await store.changesSince(latest, remote: remote.url).count == 0)
    try await file.shell("INSERT INTO projects(id) VALUES('e'); DELETE FROM projects WHERE id='c'")
    let mixed = try await store.changesSince(latest, remote: remote.url)
    #expect(mixed.count == 2 && !mixed.areAllDeletions)
  }

  @Test("what a run receives, sends and tidies up is none", arguments: Direction.allCases)
  func ownRuns(direction: Direction) async throws {
    let remote = MemoryRemote()
    let project = Project(
      id: try projectID("theirs"), title: "x", updatedAt: Timestamp(microseconds: 1))
    remote.put(project)
    try await file.shell("INSERT INTO projects(id) VALUES('ours')")
    let before = try await store.changesSince(0)
    #expect(before.count == 1)
    let engine = SyncEngine(
      store: store, remote: remote, options: SyncOptions(direction: direction))
    for _ in 0..<2 {
      let report = try await engine.synchronize()
      #expect(report.outcome == .inSync, "\(report.message)")
      for url in [remote.url, nil] {
        let after = try await store.changesSince(before.latest, remote: url)
        #expect(after.count == 0)
        #expect(try await store.changesSince(after.latest, remote: url).count == 0)
        #expect(try await store.changesSince(0, remote: url).count == 0)
      }
    }
  }

  @Test("a change made while a run is on is counted, and sent by the next")
  func duringRun() async throws {
    let remote = MemoryRemote()
    try await file.shell("INSERT INTO projects(id) VALUES('a')")
    let before = try await store.changesSince(0)
    remote.setPause { request in
      if case .list = request { return }
      try await file.shell("INSERT OR IGNORE INTO projects(id) VALUES('b')")
    }
    let engine = SyncEngine(store: store, remote: remote)
    _ = try await engine.synchronize()
    remote.setPause(nil)
    let after = try await store.changesSince(before.latest, remote: remote.url)
    #expect(after.count == 1)
    let following = try await engine.synchronize()
    #expect(following.outcome == .inSync, "\(following.message)")
    #expect(try await store.changesSince(before.latest, remote: remote.url).count == 0)
    let last = try await engine.synchronize()
    #expect(!last.wroteAnything)
  }

  @Test("what came from one remote is a change for another, and none for itself")
  func twoRemotes() async throws {
    let one = MemoryRemote(url: "memory://one")
    let other = MemoryRemote(url: "memory://other")
    for remote in [one, other] {
      _ = try await SyncEngine(store: store, remote: remote).synchronize()
    }
    let latest = try await store.changesSince(0).latest
    one.put(
      Project(id: try projectID("theirs"), title: "x", updatedAt: Timestamp(microseconds: 1)))
    _ = try await SyncEngine(store: store, remote: one, options: .both).synchronize()
    #expect(try await store.changesSince(latest, remote: one.url).count == 0)
    #expect(try await store.changesSince(latest, remote: other.url).count == 1)
    #expect(try await store.changesSince(latest).count == 1)
  }

  @Test("it answers while the store is busy and another process holds the write lock")
  func whileBusy() async throws {
    try await file.shell("INSERT INTO projects(id) VALUES('a')")
    let writer = try Database(path: file.path)
    try writer.execute("BEGIN IMMEDIATE; INSERT INTO projects(id) VALUES('b')")
    let (began, continuation) = AsyncStream<Void>.makeStream()
    let release = DispatchSemaphore(value: 0)
    let busy = Task { await store.hold(continuation, until: release) }
    for await _ in began { break }
    #expect(try await store.changesSince(0).count == 1)
    try writer.execute("COMMIT")
    #expect(try await store.changesSince(0).count == 2)
    release.signal()
    await busy.value
  }

  @Test("several processes that write at once are each heard, whatever falls between two looks")
  func severalProcesses() async throws {
    let changes = StoreWatcher(path: file.path).changes()
    let writers = try (0..<4).map { writer in
      try file.startShell(
        (0..<50).map { "INSERT INTO projects(id) VALUES('\(writer)-\($0)');\n" }.joined())
    }
    var latest: Int64 = 0
    var count = 0
    for await _ in changes {
      let look = try await store.changesSince(latest)
      count += look.count
      latest = look.latest
      if count >= 200 { break }
      _ = try await store.integer("PRAGMA wal_checkpoint(PASSIVE)")
    }
    #expect(count == 200)
    for writer in writers {
      let result = await writer.wait()
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test("a file that took the store's place is noticed, before and after the first look")
  func replaced() async throws {
    for looksBefore in [false, true] {
      let file = try TemporaryStore()
      let store = try file.open()
      let latest = looksBefore ? try await store.changesSince(0).latest : 0
      _ = try LocalStore(path: file.path + ".new")
      #expect(rename(file.path + ".new", file.path) == 0)
      let look = try await store.changesSince(latest)
      #expect(look == LocalChanges(latest: latest, isStoreReplaced: true))
      unlink(file.path)
      #expect(try await store.changesSince(latest).isStoreReplaced)
    }
  }

  @Test("an older copy put back into the same file counts everything that is pending in it")
  func olderCopy() async throws {
    try await file.shell("INSERT INTO projects(id) VALUES('a')")
    try await file.shell(".backup '\(file.path).copy'")
    try await file.shell("UPDATE projects SET title='x'; INSERT INTO projects(id) VALUES('b')")
    let before = try await store.changesSince(0)
    try await file.shell(".restore '\(file.path).copy'")
    let after = try await store.changesSince(before.latest)
    #expect(after.count == 1 && after.latest < before.latest)
  }

  @Test("a store in memory and one that is only read answer as well")
  func otherStores() async throws {
    let memory = try LocalStore(inMemory: ())
    _ = try await memory.add(ProjectDraft(title: "x"))
    #expect(try await memory.changesSince(0).count == 1)
    try await file.shell("INSERT INTO projects(id) VALUES('a')")
    let reader = try file.open(.readOnly)
    #expect(try await reader.changesSince(0).count == 1)
  }

  @Test("a store that was looked at leaves no write-ahead log when it is closed")
  func tidy() async throws {
    let file = try TemporaryStore()
    do {
      let store = try file.open()
      _ = try await store.add(ProjectDraft(title: "x"))
      #expect(try await store.changesSince(0).count == 1)
      #expect(FileState(path: file.path + "-wal") != nil)
    }
    #expect(FileState(path: file.path + "-wal") == nil)
  }
}

extension LocalStore {
  /// Keeps the store's queue busy.
  fileprivate func hold(
    _ began: AsyncStream<Void>.Continuation, until release: DispatchSemaphore
  ) {
    began.yield()
    release.wait()
  }
}

extension TemporaryStore {
  /// Runs the sqlite3 shell on the store, as any other program would.
  func shell(_ statements: String) async throws {
    let result = await (try startShell(statements)).wait()
    guard result.status == 0, result.errors.isEmpty else {
      throw ChildProcess.Failure(description: "sqlite3: \(result.errors)")
    }
  }

  func startShell(_ statements: String) throws -> ChildProcess {
    try ChildProcess(
      "/usr/bin/sqlite3", ["-bail", "-cmd", ".timeout 30000", path],
      input: statements.hasPrefix(".") ? statements + "\n" : statements + ";\n")
  }
}
