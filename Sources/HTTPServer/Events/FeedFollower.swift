import Synchronization

/// One client that follows events: what waits to be sent to it.
///
/// No thread waits for it. A client that takes events slower than they come loses the oldest, and
/// is told how many.
package final class FeedFollower: Sendable {
  /// What waits for one client at most.
  package struct Bounds: Sendable {
    /// At least 1: the newest event is always kept.
    package var events: Int
    package var bytes: Int
    /// What is sent instead of so many events that were lost.
    package var lost: @Sendable (Int) -> [UInt8]

    package init(
      events: Int = 256, bytes: Int = 1 << 20,
      lost: @escaping @Sendable (Int) -> [UInt8] = { EventText.comment("\($0) events were lost") }
    ) {
      self.events = events
      self.bytes = bytes
      self.lost = lost
    }
  }

  fileprivate struct State {
    var waiting: ArraySlice<[UInt8]> = []
    var waitingBytes = 0
    /// Events that were dropped from the front of `waiting`.
    var lost = 0
    /// What is being sent.
    var rest: ArraySlice<UInt8> = []
    var isBeatDue = false
    var isEnded = false
    /// Nil before the answer is begun.
    var suspension: Suspension?
  }

  private let bounds: Bounds
  private let state = Mutex(State())
  private let onEnd: @Sendable (FeedFollower) -> Void
  /// Whether it may go on following; asked with every heartbeat.
  let isWelcome: @Sendable () -> Bool

  init(
    bounds: Bounds, isWelcome: @escaping @Sendable () -> Bool,
    onEnd: @escaping @Sendable (FeedFollower) -> Void
  ) {
    self.bounds = bounds
    self.isWelcome = isWelcome
    self.onEnd = onEnd
  }

  // MARK: Whoever has something to say

  /// Puts in the text of an event.
  package func put(_ event: [UInt8]) {
    change { state in
      state.waiting.append(event)
      state.waitingBytes += event.count
      while state.waiting.count > 1,
        state.waiting.count > bounds.events || state.waitingBytes > bounds.bytes
      {
        state.waitingBytes -= state.waiting.removeFirst().count
        state.lost += 1
      }
    }
  }

  /// Puts it in unless something waits already, or was lost.
  package func putUnlessWaiting(_ event: [UInt8]) {
    change { state in
      guard state.waiting.isEmpty, state.lost == 0 else { return }
      state.waiting.append(event)
      state.waitingBytes += event.count
    }
  }

  /// Has something sent, so that a client that is gone is found out.
  func beat() {
    change { $0.isBeatDue = true }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      guard !state.isEnded else { return }
      body(&state)
      state.suspension?.resume()
    }
  }

  /// Nothing is sent any more beyond what waits; the answer ends.
  package func end() {
    let isFirst = state.withLock { state in
      defer {
        state.isEnded = true
        state.suspension?.resume()
      }
      return !state.isEnded
    }
    if isFirst { onEnd(self) }
  }

  // MARK: The connection

  func attach(_ suspension: Suspension) {
    state.withLock { $0.suspension = suspension }
  }

  /// Takes what waits; suspends the connection when that is nothing.
  ///
  /// - Returns: the bytes put in; 0 when the connection waits; -1 at the end.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    state.withLock { state in
      if state.rest.isEmpty, let next = state.next(bounds) { state.rest = next[...] }
      guard !state.rest.isEmpty else {
        guard !state.isEnded, let suspension = state.suspension else { return -1 }
        return suspension.suspend() ? 0 : -1
      }
      let count = min(buffer.count, state.rest.count)
      buffer.copyBytes(from: state.rest.prefix(count))
      state.rest = state.rest.dropFirst(count)
      return count
    }
  }
}

extension FeedFollower.State {
  fileprivate mutating func next(_ bounds: FeedFollower.Bounds) -> [UInt8]? {
    defer { isBeatDue = false }
    if lost > 0 {
      defer { lost = 0 }
      return bounds.lost(lost)
    }
    if let event = waiting.popFirst() {
      waitingBytes -= event.count
      return event
    }
    return isBeatDue ? EventText.heartbeat : nil
  }
}
