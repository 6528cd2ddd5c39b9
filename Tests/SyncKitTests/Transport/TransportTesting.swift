import SyncKit
import TestSupport
import Testing

/// The implementation that the contract suites run on.
func makeTransport(
  _ configure: (inout CurlTransport.Options) -> Void = { _ in }
) -> any HTTPTransport {
  var options = CurlTransport.Options()
  configure(&options)
  return CurlTransport(options)
}

/// Runs what must fail with a `TransportError`, and returns that.
func transportError(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> TransportError {
  do {
    try await body()
  } catch let error as TransportError {
    return error
  }
  Issue.record("no error was thrown", sourceLocation: sourceLocation)
  throw NothingThrown()
}

struct NothingThrown: Error {}

/// Any error that is not the transport's own.
struct Interruption: Error, Equatable {}

/// What a streamed response brought.
actor Collector {
  private(set) var heads: [HTTPResponseHead] = []
  private(set) var bytes: [UInt8] = []
  private(set) var sizes: [Int] = []

  func add(_ head: HTTPResponseHead) { heads.append(head) }

  func add(_ chunk: [UInt8]) {
    bytes += chunk
    sizes.append(chunk.count)
  }
}

extension HTTPTransport {
  func collect(_ request: HTTPRequest, into collector: Collector = Collector()) async throws
    -> Collector
  {
    try await stream(request) {
      await collector.add($0)
    } body: {
      await collector.add($0)
    }
    return collector
  }
}

/// Numbered bytes, so that a piece that is lost or out of order shows.
func pattern(_ count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: min(count, 10_007))
  for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }
  let once = bytes
  while !once.isEmpty, bytes.count + once.count <= count { bytes += once }
  return bytes + once.prefix(count - bytes.count)
}

/// Waits until the server cannot send on: its count of bytes stands still.
func standstill(of server: WireServer) async -> Int {
  var last = -1
  var same = 0
  while same < 20 {
    let now = server.bytesSent
    same = now == last ? same + 1 : 0
    last = now
    try? await Task.sleep(for: .milliseconds(5))
  }
  return last
}
