import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where output goes: a descriptor, buffered, or memory.
final class OutputSink: Sendable {
  private struct State {
    var buffer: [UInt8] = []
    var error: OutputError?
  }

  private let descriptor: Int32?
  private let state = Mutex(State())

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Keeps everything in memory.
  init() { descriptor = nil }

  /// Takes bytes; they are written when enough have come, and by `flush`.
  func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
    try state.withLock { state throws(OutputError) in
      state.buffer.append(contentsOf: bytes)
      if state.buffer.count >= 1 << 16 { try flush(&state) }
    }
  }

  func flush() throws(OutputError) {
    try state.withLock { state throws(OutputError) in try flush(&state) }
  }

  /// What a sink in memory has taken.
  var text: String { state.withLock { String(decoding: $0.buffer, as: UTF8.self) } }

  private func flush(_ state: inout State) throws(OutputError) {
    guard let descriptor else { return }
    if let error = state.error { throw error }
    var start = 0
    while start < state.buffer.count {
      let written = state.buffer[start...].withUnsafeBytes { bytes in
        #if canImport(Glibc)
          Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
          Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
      }
      if written >= 0 {
        start += written
      } else if errno != EINTR, errno != EAGAIN {
        let error = OutputError(code: errno)
        state.error = error
        state.buffer = []
        throw error
      }
    }
    state.buffer.removeAll(keepingCapacity: true)
  }
}

/// Output that could not be written.
struct OutputError: Error, Sendable, CustomStringConvertible {
  let code: Int32

  /// Whether the reader went away, or there never was one: nothing to complain about.
  var isClosedPipe: Bool { code == EPIPE || code == EBADF }

  var description: String { "cannot write the output: \(String(cString: strerror(code)))" }
}
