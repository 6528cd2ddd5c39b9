import SyncKit
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The lock of a store")
struct StoreLockTests {
  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  @Test("one run holds it; another is told who, and since when")
  func held() async throws {
    let lock = try await StoreLock.acquire(storePath: store.path)
    let holder = try #require(StoreLock.holder(storePath: store.path))
    #expect(holder.pid == getpid())
    let error = try await storeError { _ = try await StoreLock.acquire(storePath: store.path) }
    #expect(error.code == .locked)
    #expect(error.message.contains("\(getpid())") && error.message.contains("\(holder.since)"))
    lock.release()
    #expect(StoreLock.holder(storePath: store.path) == nil)
    _ = try await StoreLock.acquire(storePath: store.path)
  }

  @Test("is given back with its last reference")
  func dropped() async throws {
    _ = try await StoreLock.acquire(storePath: store.path)
    _ = try await StoreLock.acquire(storePath: store.path)
  }

  #if os(Linux)
    @Test("is free once it was given back, though a child that is being started has its descriptor")
    func inherited() async throws {
      let lock = try await StoreLock.acquire(storePath: store.path)
      let file = FileState(path: store.path + ".lock")?.inode
      let descriptor = (0..<4096).first { FileState(path: "/proc/self/fd/\($0)")?.inode == file }
      // What a child has is a copy such as this.
      let copy = dup(Int32(try #require(descriptor)))
      defer { close(copy) }
      lock.release()
      #expect(StoreLock.holder(storePath: store.path) == nil)
      _ = try await StoreLock.acquire(storePath: store.path)
    }
  #endif

  @Test("is waited for")
  func waited() async throws {
    let lock = try await StoreLock.acquire(storePath: store.path)
    async let second = StoreLock.acquire(storePath: store.path, wait: .seconds(600))
    lock.release()
    try await second.release()
  }

  @Test("waiting for it ends at once when the task is cancelled")
  func cancelled() async throws {
    let lock = try await StoreLock.acquire(storePath: store.path)
    let path = store.path
    let task = Task { try await StoreLock.acquire(storePath: path, wait: .seconds(600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    lock.release()
  }

  @Test("is free again after a process that never gave it back")
  func killed() async throws {
    let sidecar = StoreSidecar(storePath: store.path)
    sidecar.update { $0.holder = StoreLock.Holder(pid: 1, since: Timestamp(microseconds: 1)) }
    #expect(StoreLock.holder(storePath: store.path) == nil)
    let lock = try await StoreLock.acquire(storePath: store.path)
    #expect(sidecar.read().holder?.pid == getpid())
    lock.release()
  }

  @Test("leaves what is known of the store alone")
  func sidecar() async throws {
    _ = try store.open()
    let before = StoreSidecar(storePath: store.path).read()
    let lock = try await StoreLock.acquire(storePath: store.path)
    lock.release()
    #expect(before.store != nil && StoreSidecar(storePath: store.path).read() == before)
  }

  @Test("a store in memory needs none")
  func inMemory() async throws {
    let path = try LocalStore(inMemory: ()).path
    let locks = [
      try await StoreLock.acquire(storePath: path), try await StoreLock.acquire(storePath: path),
    ]
    #expect(locks.count == 2 && StoreLock.holder(storePath: path) == nil)
  }
}

@Suite("A store put back from a copy")
struct LineageTests {
  let store: TemporaryStore
  let backup: TemporaryStore

  init() throws {
    store = try TemporaryStore()
    backup = try TemporaryStore()
  }

  /// A run that agrees on something, or on nothing new.
  private func run(_ opened: LocalStore, agreeing: Bool, finishing: Bool = true) async throws {
    let remote = try await opened.openRemote(url: "u", remoteID: nil, dialect: "rest")
    if agreeing {
      let project = try await opened.add(ProjectDraft(title: "x"))
      try await opened.commit(
        [
          .agreed(
            project.id, localUpdatedAt: project.updatedAt, remoteVersion: Version("1"), etag: nil,
            same: true)
        ], remote: remote)
    }
    guard finishing else { return }
    try await opened.finishRun(
      remote: remote, reportJSON: "{}", at: Timestamp(microseconds: 1), succeeded: true,
      collectionVersion: nil, historyKeep: .seconds(1))
  }

  @Test(
    "from before the last agreement is told, until somebody lifts it", arguments: [true, false])
  func restored(finishing: Bool) async throws {
    try await run(try store.open(), agreeing: true)
    store.copy(to: backup)
    try await run(try store.open(), agreeing: true, finishing: finishing)
    #expect(try await store.open().isRestored == false)
    backup.copy(to: store)
    #expect(try await store.open(.readOnly).isRestored)
    #expect(try await store.open().isRestored)
    try await run(try store.open(), agreeing: true)
    #expect(try await store.open().isRestored)
    try await store.open().clearRestored()
    #expect(try await store.open().isRestored == false)
  }

  @Test("can be lifted without a change")
  func cleared() async throws {
    store.copy(to: backup)
    try await run(try store.open(), agreeing: true)
    store.copy(to: backup)
    try await run(try store.open(), agreeing: true)
    backup.copy(to: store)
    try await store.open().clearRestored()
    #expect(try await store.open().isRestored == false)
  }

  @Test("from after the last agreement is as good as the store")
  func current() async throws {
    try await run(try store.open(), agreeing: true)
    store.copy(to: backup)
    try await run(try store.open(), agreeing: false)
    backup.copy(to: store)
    #expect(try await store.open().isRestored == false)
  }

  @Test("to another place, where nothing is known of it, is believed")
  func elsewhere() async throws {
    try await run(try store.open(), agreeing: true)
    store.copy(to: backup)
    #expect(try await backup.open().isRestored == false)
  }

  @Test("a crash between the sidecar and the commit is no restoration")
  func crashed() async throws {
    let opened = try store.open()
    try await run(opened, agreeing: true)
    try await opened.execute("BEGIN IMMEDIATE")
    try await opened.rotate()
    try await opened.execute("ROLLBACK")
    #expect(try await store.open().isRestored == false)
    try await run(opened, agreeing: true)
    #expect(try await store.open().isRestored == false)
  }
}

extension LocalStore {
  fileprivate func rotate() throws {
    try Lineage.rotate(database, storeID: storeID, sidecar: sidecar)
  }
}
