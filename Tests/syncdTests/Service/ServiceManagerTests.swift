import SyncKit
import Synchronization
import TestSupport
import Testing

@testable import syncd

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What systemd would listen on.
private final class NotifySocket: Sendable {
  private let descriptor: Int32

  /// - Parameter name: a path, or `@` and a name.
  init(_ name: String) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = 2 + bytes.count + (bytes[0] == 0 ? 0 : 1)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { [descriptor] pointer in
        bind(descriptor, pointer, socklen_t(length))
      }
    }
    try #require(bound == 0)
  }

  /// The messages that have come, each split in lines.
  func messages() -> [[String]] {
    var messages: [[String]] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)),
      count > 0
    {
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      messages.append(text.split(separator: "\n").map(String.init))
    }
    return messages
  }

  deinit { close(descriptor) }
}

@Suite("The service manager")
struct ServiceManagerTests {
  private func manager(_ variables: [String: String]) -> ServiceManager {
    ServiceManager(
      environment: Environment(variables: variables), processID: 42,
      uptime: { .seconds(7) + .microseconds(5) })
  }

  private func say(_ name: String) throws -> [[String]] {
    let socket = try NotifySocket(name)
    let manager = manager(["NOTIFY_SOCKET": name])
    manager.ready(status: "online\nREADY=0")
    manager.status("syncing")
    manager.reloading()
    manager.ready()
    manager.keepAlive()
    manager.stopping()
    manager.extendTimeout(by: .milliseconds(1500))
    return socket.messages()
  }

  private static let expected = [
    ["READY=1", "STATUS=online READY=0"], ["STATUS=syncing"],
    ["RELOADING=1", "MONOTONIC_USEC=7000005"], ["READY=1"], ["WATCHDOG=1"], ["STOPPING=1"],
    ["EXTEND_TIMEOUT_USEC=1500000"],
  ]

  @Test("is told by a socket file")
  func file() throws {
    let folder = try TemporaryFolder()
    #expect(try say(folder.file("notify")) == Self.expected)
  }

  #if os(Linux)
    @Test("is told by a socket that is in no file system")
    func abstract() throws {
      let folder = try TemporaryFolder()
      #expect(try say("@" + folder.file("notify")) == Self.expected)
    }
  #endif

  @Test(
    "nobody who listens, or nobody who can be reached, is no trouble",
    arguments: [
      nil, "", "@", "relative", "vsock:2:1", "/nonexistent/notify", "@nobody-listens-here",
      "/" + String(repeating: "x", count: 200),
    ])
  func absent(name: String?) {
    let manager = manager(name.map { ["NOTIFY_SOCKET": $0] } ?? [:])
    manager.ready(status: "online")
    manager.stopping()
  }

  @Test(
    "a watchdog counts when it is meant for this process",
    arguments: [
      (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"], .seconds(30)),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"], nil),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"], nil),
      (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "x"], nil),
      ([:], nil),
    ] as [([String: String], Duration?)])
  func watchdog(variables: [String: String], interval: Duration?) {
    #expect(manager(variables).watchdogInterval == interval)
  }
}

@Suite("The watchdog")
struct WatchdogTests {
  @Test(
    "there is life while the service comes on with its work, or has none by right",
    arguments: [
      (0, false, 0, true), (0, false, 299, true), (0, false, 300, false), (500, false, 700, true),
      (0, true, 1_000_000, true),
    ])
  func rule(lastMade: Int, isIdle: Bool, now: Int, isAlive: Bool) {
    let watchdog = Watchdog(interval: .seconds(90), patience: .seconds(300))
    let progress = Watchdog.Progress(lastMade: .seconds(lastMade), isIdle: isIdle)
    #expect(watchdog.isAlive(progress, at: .seconds(now)) == isAlive)
  }

  @Test("signs are given three times an interval, and withheld while nothing moves")
  func run() async throws {
    let clock = TestClock()
    let counts = Mutex((signs: 0, stalls: 0))
    let progress = Mutex(Watchdog.Progress(lastMade: .zero, isIdle: false))
    let task = Task {
      await Watchdog(interval: .seconds(90), patience: .seconds(60)).run(
        clock: clock, now: { clock.now.offset }, progress: { progress.withLock { $0 } },
        keepAlive: { counts.withLock { $0.signs += 1 } },
        stalled: { counts.withLock { $0.stalls += 1 } })
    }
    var signs: [Int] = []
    for _ in 0..<5 {
      try await clock.waitForSleepers(1)
      signs.append(counts.withLock { $0.signs })
      try await clock.advance(by: .seconds(30))
    }
    #expect(signs == [1, 2, 2, 2, 2])
    try await clock.waitForSleepers(1)
    #expect(counts.withLock { $0.stalls } == 1)
    progress.withLock { $0.isIdle = true }
    try await clock.advance(by: .seconds(30))
    try await clock.waitForSleepers(1)
    #expect(counts.withLock { $0.signs } == 3)
    task.cancel()
    await task.value
  }

  @Test("a service that does not answer is given no sign of life")
  func deaf() async throws {
    let clock = TestClock()
    let (asked, continuation) = AsyncStream<Void>.makeStream()
    let task = Task {
      await Watchdog(interval: .seconds(90)).run(
        clock: clock, now: { .zero },
        progress: {
          continuation.yield()
          while !Task.isCancelled { await Task.yield() }
          return Watchdog.Progress(lastMade: .seconds(-1000), isIdle: false)
        }, keepAlive: { Issue.record("a sign of life") }, stalled: {})
    }
    for await _ in asked { break }
    task.cancel()
    await task.value
  }
}
