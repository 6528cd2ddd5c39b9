internal import Synchronization

/// The bytes of a streamed request body between the task that makes them and the thread that
/// sends them.
final class CurlUpload: Sendable {
  /// Bytes that may wait before no more are pulled.
  private static let capacity = 256 << 10

  private struct State {
    var chunks: [[UInt8]] = []
    /// How much of the first chunk has been sent.
    var offset = 0
    var waiting = 0
    var isTouched = false
    var isEnded = false
    var isCancelled = false
    /// The connection waits for bytes.
    var isStarved = false
    var producer: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  /// Tells the thread that there are bytes again.
  private let resume: @Sendable () -> Void

  init(resume: @escaping @Sendable () -> Void) {
    self.resume = resume
  }

  /// Pulls the whole body, no faster than the connection takes it.
  func pump(_ pull: @Sendable () async throws -> [UInt8]?) async throws {
    while let chunk = try await pull() {
      if !chunk.isEmpty { await put(chunk) }
      if Task.isCancelled { return }
    }
    wakeConsumer { $0.isEnded = true }
  }

  private func put(_ chunk: [UInt8]) async {
    wakeConsumer { state in
      state.chunks.append(chunk)
      state.waiting += chunk.count
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasRoom = state.withLock { state in
          let hasRoom = state.waiting < Self.capacity || state.isCancelled
          if !hasRoom { state.producer = continuation }
          return hasRoom
        }
        if hasRoom { continuation.resume() }
      }
    } onCancel: {
      let producer = state.withLock { state in
        state.isCancelled = true
        return state.producer.take()
      }
      producer?.resume()
    }
  }

  private func wakeConsumer(_ change: (inout State) -> Void) {
    let wasStarved = state.withLock { state in
      change(&state)
      defer { state.isStarved = false }
      return state.isStarved
    }
    if wasStarved { resume() }
  }

  /// Copies what there is; 0 at the end, nil when the connection must wait for more.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let (count, producer): (Int?, CheckedContinuation<Void, Never>?) = state.withLock { state in
      state.isTouched = true
      guard let chunk = state.chunks.first else {
        if state.isEnded { return (0, nil) }
        state.isStarved = true
        return (nil, nil)
      }
      let count = min(buffer.count, chunk.count - state.offset)
      buffer.copyBytes(from: chunk[state.offset..<state.offset + count])
      state.offset += count
      state.waiting -= count
      if state.offset == chunk.count {
        state.chunks.removeFirst()
        state.offset = 0
      }
      return (count, state.waiting < Self.capacity ? state.producer.take() : nil)
    }
    producer?.resume()
    return count
  }

  /// Whether the connection asked for nothing yet, so that it may as well start afresh.
  var isUntouched: Bool { state.withLock { !$0.isTouched } }
}
