import SyncKit
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The store's file")
struct FileTests {
  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func mode(_ path: String) throws -> mode_t {
    var info = stat()
    try #require(stat(path, &info) == 0)
    return info.st_mode & 0o777
  }

  /// Makes a store with many pages.
  private func fill() async throws {
    let opened = try store.open()
    try await opened.execute(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<400)
        INSERT INTO projects(title, body) SELECT i, hex(zeroblob(400)) FROM n
      """)
  }

  @Test("belongs to the user alone, as do the directories that lead to it")
  func modes() async throws {
    let path = store.directory.file("a/b/projects.db")
    let opened = try LocalStore(path: path)
    _ = try await opened.add(ProjectDraft(title: "x"))
    for suffix in ["", "-wal", "-shm", ".lock"] { #expect(try mode(path + suffix) == 0o600) }
    #expect(try mode(store.directory.file("a")) == 0o700)
    #expect(try mode(store.directory.file("a/b")) == 0o700)
  }

  @Test("is not touched by who only reads, and not made")
  func readOnly() async throws {
    let none = try store.open(.readOnly)
    #expect(try await none.count() == 0)
    #expect(FileState(path: store.path) == nil)

    _ = try await store.open().add(ProjectDraft(title: "x"))
    let before = FileState(path: store.path)
    let reader = try store.open(.readOnly)
    #expect(try await reader.count() == 1)
    try await reader.execute("CREATE TEMP TABLE t(a); INSERT INTO t VALUES(1)")
    #expect(
      try await storeError { _ = try await reader.add(ProjectDraft(title: "y")) }.code == .store)
    #expect(FileState(path: store.path) == before)
  }

  @Test("that broke off while its first pages were written is a new one", arguments: [20, 400])
  func brokeOffAtFirst(length: Int) async throws {
    let path = store.directory.file("unfinished.db")
    let database = try Database(path: path)
    try database.execute(
      """
      PRAGMA cache_size=1; BEGIN; CREATE TABLE t(x);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<400)
        INSERT INTO t SELECT hex(zeroblob(400)) FROM n
      """)
    for suffix in ["", "-journal"] {
      let bytes = try #require(FileSystem.read(path + suffix))
      let part = suffix.isEmpty ? Array(bytes.prefix(length)) : bytes
      let copy = store.directory.file("found.db" + suffix)
      #expect(FileSystem.overwrite(copy, with: part, durably: false))
    }
    let found = try LocalStore(path: store.directory.file("found.db"))
    #expect(try await found.count() == 0)
    _ = try await found.add(ProjectDraft(title: "x"))
    try database.execute("ROLLBACK")
  }

  #if os(Linux)
    @Test("stays locked when the same process opens it again")
    func locksStay() async throws {
      let opened = try store.open()
      _ = try await opened.add(ProjectDraft(title: "x"))
      var info = stat()
      try #require(stat(store.path, &info) == 0)
      let file = ":\(info.st_ino) "
      func locks() throws -> Int {
        let table = String(decoding: try #require(FileSystem.read("/proc/locks")), as: UTF8.self)
        return table.split(separator: "\n").count { $0.contains(file) && $0.contains("POSIX") }
      }
      let before = try locks()
      #expect(before > 0)
      for _ in 0..<2 { #expect(try await store.open(.readOnly).count() == 1) }
      #expect(try locks() >= before)
    }
  #endif

  @Test("is seen by who only reads while somebody writes")
  func readOnlyBeside() async throws {
    let writer = try store.open()
    _ = try await writer.add(ProjectDraft(title: "x"))
    #expect(try await store.open(.readOnly).count() == 1)
  }

  @Test("when it is large, is looked at whole where nothing explains why it looks different")
  func large() async throws {
    do {
      let opened = try store.open()
      try await opened.execute(
        "INSERT INTO projects(id, body) VALUES('large', printf('%.*c', 70000000, 'x'))")
      // The first look at every page.
      try await opened.verifyIntegrity()
    }
    do { _ = try store.open() }
    // A byte in the middle of the body's pages that tells where the next of them is.
    func damage() throws {
      let file = try #require(fopen(store.path, "r+"))
      defer { fclose(file) }
      fseek(file, 4096 * 9000, SEEK_SET)
      fputs("\u{7F}\u{7F}", file)
    }
    do {
      let other = try Database(path: store.path)
      try other.execute("INSERT INTO projects(id) VALUES('small')")
    }
    do { _ = try store.open() }
    try damage()
    let error = try await storeError { _ = try store.open() }
    #expect(error.message.contains("damaged"))
    // Somebody wrote since: what is read is looked at, and the rest within the day.
    do {
      let other = try Database(path: store.path)
      try other.execute("UPDATE projects SET title='x' WHERE id='small'")
    }
    #expect(try await store.open().project(try ProjectID("small"))?.title == "x")
  }

  @Test("cut to nothing is damaged, not empty")
  func emptied() async throws {
    try await fill()
    truncate(store.path, 0)
    for access in [LocalStore.Access.readWrite, .readOnly] {
      let error = try await storeError { _ = try store.open(access) }
      #expect(error.code == .store && error.message.contains("damaged"))
      #expect(error.message.contains(store.path))
    }
    #expect(FileState(path: store.path)?.size == 0)
  }

  @Test("of no bytes, with nothing known about it, is a new store")
  func neverFilled() async throws {
    #expect(store.overwrite([]))
    #expect(try await store.open().count() == 0)
  }

  @Test("deleted is a new store with another id")
  func deleted() async throws {
    let id = try store.open().storeID
    unlink(store.path)
    #expect(try store.open().storeID != id)
    #expect(try await store.open().isRestored == false)
  }

  @Test(
    "damaged is recognised before anything in it is believed",
    arguments: ["zeroed", "header", "half", "short", "page", "text"])
  func damaged(kind: String) async throws {
    try await fill()
    var bytes = try #require(store.bytes)
    let page = 4096
    switch kind {
    case "zeroed": bytes = [UInt8](repeating: 0, count: bytes.count)
    case "header": bytes.replaceSubrange(0..<100, with: repeatElement(0, count: 100))
    case "half": bytes.removeSubrange((bytes.count / 2 + 100)...)
    case "short": bytes.removeSubrange(300...)
    case "page":
      // Every page but the first two, in turn, would do; this one holds projects.
      let start = (bytes.count / page / 2) * page
      bytes.replaceSubrange(start..<(start + page), with: repeatElement(0xA5, count: page))
    default: bytes = Array("this is no database, but it is where one was".utf8)
    }
    #expect(store.overwrite(bytes))
    let error = try await storeError { try await store.open().verifyIntegrity() }
    #expect(error.code == .store && error.message.contains("damaged"))
    #expect(store.bytes == bytes)
  }

  @Test("that never was a database is refused and left as it is")
  func notADatabase() async throws {
    let bytes = Array("title,body\nx,y\n".utf8)
    #expect(store.overwrite(bytes))
    let error = try await storeError { _ = try store.open() }
    #expect(error.code == .store && error.message.contains("not a database"))
    #expect(store.bytes == bytes)
  }

  @Test("damaged while it is open is noticed by the next run")
  func damagedWhileOpen() async throws {
    try await fill()
    let opened = try store.open()
    try await opened.verifyIntegrity()
    #expect(try await opened.count() == 400)
    var bytes = try #require(store.bytes)
    let start = (bytes.count / 4096 / 2) * 4096
    bytes.replaceSubrange(start..<(start + 4096), with: repeatElement(0xA5, count: 4096))
    #expect(store.overwrite(bytes))
    #expect(try await storeError { try await opened.verifyIntegrity() }.code == .store)
  }

  @Test("replaced while it is open is noticed by the next run")
  func replacedWhileOpen() async throws {
    let opened = try store.open()
    rename(store.path, store.path + ".old")
    #expect(try await storeError { try await opened.verifyIntegrity() }.code == .store)
    _ = FileSystem.overwrite(
      store.path, with: FileSystem.read(store.path + ".old") ?? [], durably: false)
    #expect(try await storeError { try await opened.verifyIntegrity() }.code == .store)
  }

  @Test("is not looked through again while it is as the last run left it")
  func unchanged() async throws {
    try await fill()
    do {
      let opened = try store.open()
      try await opened.verifyIntegrity()
      let remote = try await opened.openRemote(url: "u", remoteID: nil, dialect: "rest")
      try await opened.finishRun(
        remote: remote, reportJSON: "{}", at: Timestamp(microseconds: 1), succeeded: true,
        collectionVersion: nil, historyKeep: .seconds(1))
    }
    let sidecar = StoreSidecar(storePath: store.path).read()
    #expect(sidecar.file == FileState(path: store.path))
    try await store.open().verifyIntegrity()
    #expect(StoreSidecar(storePath: store.path).read().file == FileState(path: store.path))
  }

  @Test("is not looked through again after changes made here, but after those of others")
  func noted() async throws {
    try await fill()
    let sidecar = StoreSidecar(storePath: store.path)
    #expect(sidecar.read().file == FileState(path: store.path))
    _ = try await store.open().add(ProjectDraft(title: "x"))
    #expect(sidecar.read().file == FileState(path: store.path))
    try Database(path: store.path).execute("INSERT INTO projects(title) VALUES('y')")
    #expect(sidecar.read().file != FileState(path: store.path))
    _ = try await store.open(.readOnly).count()
    #expect(sidecar.read().file != FileState(path: store.path))
    _ = try store.open()
    #expect(sidecar.read().file == FileState(path: store.path))
  }

  @Test("damaged is left as it is, the log beside it too")
  func damagedWithLog() async throws {
    try await fill()
    let other = try Database(path: store.path)
    other.keepLogOnClosing(true)
    try other.execute("INSERT INTO projects(title) VALUES('in the log')")
    var bytes = try #require(store.bytes)
    let start = (bytes.count / 4096 / 2) * 4096
    bytes.replaceSubrange(start..<(start + 4096), with: repeatElement(0xA5, count: 4096))
    let log = FileSystem.read(store.path + "-wal")
    let damaged = try TemporaryStore()
    #expect(damaged.overwrite(bytes))
    #expect(
      FileSystem.overwrite(damaged.path + "-wal", with: try #require(log), durably: false))
    #expect(try await storeError { _ = try damaged.open() }.message.contains("damaged"))
    #expect(damaged.bytes == bytes)
    #expect(FileSystem.read(damaged.path + "-wal") == log)
  }

  @Test("on a full disk fails whole, and works again once there is room")
  func full() async throws {
    let opened = try store.open()
    _ = try await opened.add(ProjectDraft(title: "before"))
    let pages = try #require(try await opened.integer("PRAGMA page_count"))
    try await opened.execute("PRAGMA max_page_count=\(pages)")
    let body = String(repeating: "x", count: 100_000)
    let error = try await storeError {
      _ = try await opened.add(ProjectDraft(title: "y", body: body))
    }
    #expect(error.code == .store && error.message.contains("full"))
    #expect(try await opened.count() == 1)
    try await opened.execute("PRAGMA max_page_count=100000")
    _ = try await opened.add(ProjectDraft(title: "y", body: body))
    #expect(try await opened.count() == 2)
    try await opened.check()
  }

  @Test("held by another writer is waited for, then reported")
  func busy() async throws {
    let opened = try store.open(busyTimeout: .milliseconds(20))
    let other = try Database(path: store.path)
    try other.execute("BEGIN IMMEDIATE")
    let error = try await storeError { _ = try await opened.add(ProjectDraft(title: "x")) }
    #expect(error.code == .locked && error.message.contains("write lock"))
    #expect(try await opened.count() == 0)
    #expect(try await store.open(busyTimeout: .milliseconds(20)).count() == 0)
    try other.execute("COMMIT")
    _ = try await opened.add(ProjectDraft(title: "x"))
    #expect(try await opened.count() == 1)
  }

  @Test("is written by two at once, each change for itself")
  func concurrent() async throws {
    let stores = [try store.open(), try store.open()]
    let id = try await stores[0].add(ProjectDraft(title: "shared")).id
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, opened) in stores.enumerated() {
        group.addTask {
          for turn in 0..<25 {
            _ = try await opened.edit(id, ProjectEdit(title: "\(index)-\(turn)"))
            _ = try await opened.add(ProjectDraft(title: "\(turn)"))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await stores[1].count() == 51)
    let stamps = try await stores[0].history(of: id).map(\.project.updatedAt)
    #expect(stamps.count == 50 && stamps == stamps.sorted(by: >) && Set(stamps).count == 50)
  }
}
