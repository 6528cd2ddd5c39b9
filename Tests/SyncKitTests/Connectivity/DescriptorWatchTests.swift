import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A watched descriptor", .timeLimit(.minutes(1)))
struct DescriptorWatchTests {
  private func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Waits until nobody has the reading end any more.
  private func waitForClose(_ end: Int32) async {
    await withCheckedContinuation { continuation in
      let isStarted = DedicatedThread.start {
        var poll = pollfd(fd: end, events: 0, revents: 0)
        while Self.wait(&poll) < 0 {}
        close(end)
        continuation.resume()
      }
      if !isStarted { continuation.resume() }
    }
  }

  private static func wait(_ descriptor: inout pollfd) -> Int32 { poll(&descriptor, 1, -1) }

  @Test("it is read when there is something, and closed when the watch is cancelled")
  func cancelled() async throws {
    let pipe = try makePipe()
    let (stream, continuation) = AsyncStream<UInt8>.makeStream()
    let watch = DescriptorWatch(pipe.read, label: "test") {
      var byte: UInt8 = 0
      if read(pipe.read, &byte, 1) == 1 { continuation.yield(byte) }
      return true
    }
    var bytes = stream.makeAsyncIterator()
    for byte: UInt8 in [7, 8] {
      var byte = byte
      #expect(write(pipe.write, &byte, 1) == 1)
      #expect(await bytes.next() == byte)
    }
    watch.cancel()
    await waitForClose(pipe.write)
  }

  #if os(Linux)
    @Test("it is read as well when it has an error to tell and nothing else")
    func errorAlone() async throws {
      let pipe = try makePipe()
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      let watch = DescriptorWatch(pipe.write, label: "test") {
        continuation.yield()
        return false
      }
      close(pipe.read)
      for await _ in stream { break }
      watch.cancel()
    }
  #endif

  @Test("it is closed when the watch goes")
  func dropped() async throws {
    let pipe = try makePipe()
    do { _ = DescriptorWatch(pipe.read, label: "test") { true } }
    await waitForClose(pipe.write)
  }

  @Test("it is closed when the reader has had enough")
  func ended() async throws {
    let pipe = try makePipe()
    let watch = DescriptorWatch(pipe.read, label: "test") { false }
    var byte: UInt8 = 1
    #expect(write(pipe.write, &byte, 1) == 1)
    await waitForClose(pipe.write)
    watch.cancel()
  }
}
