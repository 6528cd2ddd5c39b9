import TestSupport
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Watching a store", .timeLimit(.minutes(1)))
struct StoreWatcherTests {
  let file: TemporaryStore
  let store: LocalStore

  init() throws {
    file = try TemporaryStore()
    store = try file.open()
  }

  /// Follows until `isSeen`, which is asked after each element.
  private func follow(
    _ changes: AsyncStream<Void>, until isSeen: () async throws -> Bool
  ) async throws {
    for await _ in changes where try await isSeen() { return }
    Issue.record("the stream ended")
  }

  @Test("a write of another process is told")
  func write() async throws {
    let changes = StoreWatcher(path: file.path).changes()
    try await file.shell("INSERT INTO projects(id) VALUES('a')")
    try await follow(changes) { try await store.changesSince(0).count == 1 }
  }

  @Test("a write is told again, as its commit may not be seen at once")
  func toldAgain() async throws {
    let inotify = AsyncStream<Void>.makeStream(bufferingPolicy: .unbounded)
    let echo = Echo(inotify.continuation, label: "test")
    echo.note()
    echo.note()
    var elements = inotify.stream.makeAsyncIterator()
    // Two at once, one soon after the second, one later; and the first is told of once more.
    for _ in 0..<5 { _ = await elements.next() }
    withExtendedLifetime(echo) {}
  }

  @Test("the first element comes at once, though nobody writes")
  func first() async throws {
    for await _ in StoreWatcher(path: file.path).changes() { return }
    Issue.record("no element")
  }

  @Test("a file that takes the store's place is told, and one that is removed")
  func replaced() async throws {
    let changes = StoreWatcher(path: file.path).changes()
    _ = try LocalStore(path: file.path + ".new")
    #expect(rename(file.path + ".new", file.path) == 0)
    try await follow(changes) { try await store.changesSince(0).isStoreReplaced }
    unlink(file.path)
    for await _ in changes { break }
  }

  @Test("through a link, the store is told of, and so is another link in its place")
  func links() async throws {
    let links = try StoreDirectory()
    let link = links.file("link.db")
    #expect(symlink(file.path, link) == 0)
    let linked = try LocalStore(path: link)
    let changes = StoreWatcher(path: link).changes()
    try await file.shell("INSERT INTO projects(id) VALUES('a')")
    try await follow(changes) { try await linked.changesSince(0).count == 1 }
    let other = try TemporaryStore()
    _ = try other.open()
    #expect(symlink(other.path, link + ".new") == 0)
    #expect(rename(link + ".new", link) == 0)
    try await follow(changes) { try await linked.changesSince(0).isStoreReplaced }
  }

  @Test("it ends when the directory goes")
  func directoryGone() async throws {
    let directory = try StoreDirectory()
    let folder = directory.file("folder")
    #expect(mkdir(folder, 0o700) == 0)
    let changes = StoreWatcher(path: folder + "/store.db").changes()
    #expect(rmdir(folder) == 0)
    for await _ in changes {}
  }

  @Test(
    "where there is nothing to watch it ends after the first element",
    arguments: [":memory:", "/nowhere/at/all/store.db"])
  func nothingToWatch(path: String) async {
    var count = 0
    for await _ in StoreWatcher(path: path).changes() { count += 1 }
    #expect(count == 1)
  }

  #if os(Linux)
    @Test("ending the iteration gives back what it held")
    func released() async throws {
      let inode = try #require(FileState(path: file.directory.path)?.inode)
      func held() -> Int { Inotifies.count(of: inode) }
      let changes = StoreWatcher(path: file.path).changes()
      #expect(held() == 1)
      let began = AsyncStream<Void>.makeStream()
      let task = Task { for await _ in changes { began.continuation.yield() } }
      for await _ in began.stream { break }
      task.cancel()
      await task.value
      while held() > 0 { await Task.yield() }
      _ = StoreWatcher(path: file.path).changes()
      while held() > 0 { await Task.yield() }
    }

    @Test("other files beside the store, and looks at the store, wake nobody; a write does")
    func otherFiles() async throws {
      let log = file.directory.file("log")
      #expect(FileSystem.overwrite(log, with: [1], durably: false))
      var inotify = try #require(Inotify(places: StoreFiles(path: file.path).places))
      defer { close(inotify.descriptor) }
      func isAwake() -> Bool {
        var poll = pollfd(fd: inotify.descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0
      }
      #expect(FileSystem.overwrite(log, with: [1, 2], durably: false))
      _ = try await store.changesSince(0)
      #expect(!isAwake())
      _ = try await store.add(ProjectDraft(title: "x"))
      #expect(isAwake() && inotify.read() == .change)
      #expect(!isAwake() && inotify.read() == .nothing)
    }

    @Test("a log that comes anew is watched like the one before")
    func newLog() async throws {
      let file = try TemporaryStore()
      do { _ = try file.open() }
      #expect(FileState(path: file.path + "-wal") == nil)
      var inotify = try #require(Inotify(places: StoreFiles(path: file.path).places))
      defer { close(inotify.descriptor) }
      for _ in 0..<2 {
        let database = try Database(path: file.path)
        try database.execute("INSERT INTO projects(title) VALUES('x')")
        #expect(inotify.read() == .change)
        try database.execute("INSERT INTO projects(title) VALUES('y')")
        #expect(inotify.read() == .change)
      }
    }

    @Test("events cut short or of no known watch tell nothing; lost ones may have been ours")
    func events() throws {
      var inotify = try #require(Inotify(places: StoreFiles(path: file.path).places))
      defer { close(inotify.descriptor) }
      func look(_ watch: Int32, _ mask: UInt32, _ name: String, cutTo count: Int = .max)
        -> Inotify.Seen
      {
        let name = Array(name.utf8) + [0, 0]
        var bytes: [UInt8] = []
        for word in [UInt32(bitPattern: watch), mask, 0, UInt32(name.count)] {
          withUnsafeBytes(of: word) { bytes += $0 }
        }
        return inotify.look((bytes + name).prefix(count))
      }
      // The directory is watched first, and watches count from one.
      #expect(look(1, 0x100, "other") == .nothing)
      #expect(look(1, 0x100, "projects.db-wal") == .change)
      #expect(look(77, 2, "") == .nothing)
      #expect(look(-1, 0x4000, "") == .change)
      for count in 0..<16 { #expect(look(1, 0x100, "projects.db", cutTo: count) == .nothing) }
      #expect(look(1, 0x8000, "") == .end)
    }
  #endif
}

#if os(Linux)
  private enum Inotifies {
    /// How many watches this process has on the directory with this inode.
    static func count(of inode: UInt64) -> Int {
      var count = 0
      for descriptor in 0..<1024 {
        guard let info = FileSystem.read("/proc/self/fdinfo/\(descriptor)") else { continue }
        let text = String(decoding: info, as: UTF8.self)
        for line in text.split(separator: "\n") where line.hasPrefix("inotify ") {
          if line.split(separator: " ").contains("ino:\(String(inode, radix: 16))") { count += 1 }
        }
      }
      return count
    }
  }
#endif
