internal import Synchronization

/// The parts of a response between the thread that receives them and the task that takes them.
final class CurlMailbox: Sendable {
  enum Part: Sendable {
    case head(HTTPResponseHead)
    case bytes([UInt8])
  }

  /// Bytes that may wait before the connection is held back.
  static let capacity = 256 << 10

  private struct State {
    var head: HTTPResponseHead?
    var bytes: [UInt8] = []
    var isHeldBack = false
    var isFinished = false
    var error: (any Error)?
    var waiter: CheckedContinuation<Part?, any Error>?
  }

  private let state = Mutex(State())
  /// Tells the thread that there is room again.
  private let resume: @Sendable () -> Void

  init(resume: @escaping @Sendable () -> Void) {
    self.resume = resume
  }

  func put(_ head: HTTPResponseHead) {
    let waiter = state.withLock { state in
      if state.waiter == nil { state.head = head }
      return state.waiter.take()
    }
    waiter?.resume(returning: .head(head))
  }

  /// Whether the connection must be held back until there is room again.
  func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (waiter, isFull) = state.withLock { state in
      if state.waiter == nil {
        state.bytes.append(contentsOf: bytes)
        state.isHeldBack = state.bytes.count >= Self.capacity
      }
      return (state.waiter.take(), state.isHeldBack)
    }
    waiter?.resume(returning: .bytes(Array(bytes)))
    return isFull
  }

  /// No part comes any more; of a cancelled transfer none is handed over either.
  func finish(_ error: (any Error)?) {
    let waiter = state.withLock { state in
      state.isFinished = true
      state.error = error
      if error is CancellationError {
        state.head = nil
        state.bytes = []
      }
      return state.waiter.take()
    }
    if let error {
      waiter?.resume(throwing: error)
    } else {
      waiter?.resume(returning: nil)
    }
  }

  /// The next part, or nil after the last.
  func next() async throws -> Part? {
    if let step = state.withLock({ ready(&$0) }) { return try proceed(step) }
    return try await withCheckedThrowingContinuation { continuation in
      let step = state.withLock { state in
        let step = ready(&state)
        if step == nil { state.waiter = continuation }
        return step
      }
      if let step { continuation.resume(with: Result { try proceed(step) }) }
    }
  }

  private enum Step {
    case part(Part, hasRoom: Bool)
    case end((any Error)?)
  }

  private func ready(_ state: inout State) -> Step? {
    if let head = state.head.take() { return .part(.head(head), hasRoom: false) }
    if !state.bytes.isEmpty {
      let hasRoom = state.isHeldBack
      state.isHeldBack = false
      defer { state.bytes = [] }
      return .part(.bytes(state.bytes), hasRoom: hasRoom)
    }
    return state.isFinished ? .end(state.error) : nil
  }

  private func proceed(_ step: Step) throws -> Part? {
    switch step {
    case .part(let part, let hasRoom):
      if hasRoom { resume() }
      return part
    case .end(let error):
      if let error { throw error }
      return nil
    }
  }
}
