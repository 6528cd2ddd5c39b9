internal import CCurl
internal import Synchronization

/// What callers hand to the thread that drives the transfers.
final class CurlQueue: Sendable {
  enum Command: Sendable {
    case start(CurlTransfer)
    case cancel(CurlTransfer)
    case fail(CurlTransfer, any Error)
    /// There is room, or there are bytes, again.
    case resume(CurlTransfer)
    case closeIdle
  }

  private struct State {
    var commands: [Command] = []
    /// Drives the transfers; nil before the first.
    var thread: DedicatedThread?
    var isStopped = false
    /// The multi handle that the thread sleeps on, as an address; 0 while it is awake.
    var sleeper: UInt = 0

    mutating func wake() {
      guard sleeper != 0 else { return }
      curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: sleeper))
      sleeper = 0
    }
  }

  private let state = Mutex(State())
  let traffic = Mutex(HTTPTraffic())
  private let options: CurlTransport.Options

  init(_ options: CurlTransport.Options) {
    self.options = options
  }

  func post(_ command: Command) {
    let (refused, reason) = state.withLock { state -> ([Command], String) in
      if state.isStopped { return ([command], "The transport was closed.") }
      state.commands.append(command)
      state.wake()
      if state.thread == nil {
        state.thread = DedicatedThread { [self, options] in
          CurlLoop(queue: self, options: options).run()
        }
      }
      guard state.thread == nil else { return ([], "") }
      // The next request tries again.
      defer { state.commands = [] }
      return (state.commands, "The system has no thread to spare for the transfer.")
    }
    for case .start(let transfer) in refused {
      transfer.fail(transfer.error(.invalidRequest, reason))
    }
  }

  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.wake()
    }
  }

  /// Stops, and returns once the thread is gone.
  func close() {
    stop()
    state.withLock { $0.thread }?.join()
  }

  /// What has been posted since; nil once the transport is closed or gone.
  func take() -> [Command]? {
    state.withLock { state in
      if state.isStopped { return nil }
      defer { state.commands.removeAll(keepingCapacity: true) }
      return state.commands
    }
  }

  /// What was posted, and not taken any more.
  func takeRest() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Whether the thread may sleep on this multi handle: there is nothing to do.
  func fallAsleep(_ multi: UnsafeMutableRawPointer) -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty, !state.isStopped else { return false }
      state.sleeper = UInt(bitPattern: multi)
      return true
    }
  }

  func wokeUp() {
    state.withLock { $0.sleeper = 0 }
  }
}
