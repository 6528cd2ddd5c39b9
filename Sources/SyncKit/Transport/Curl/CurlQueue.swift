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
    var isRunning = false
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
    let starts = state.withLock { state in
      if state.isStopped { return false }
      state.commands.append(command)
      state.wake()
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    let isStarted = DedicatedThread.start { [self, options] in
      CurlLoop(queue: self, options: options).run()
    }
    if !isStarted { abandon() }
  }

  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.wake()
    }
  }

  /// What has been posted since; nil once the transport is gone.
  func take() -> [Command]? {
    state.withLock { state in
      if state.isStopped {
        state.commands = []
        return nil
      }
      defer { state.commands.removeAll(keepingCapacity: true) }
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

  /// Fails what was posted where the system had no thread; the next request tries again.
  private func abandon() {
    let commands = state.withLock { state in
      state.isRunning = false
      defer { state.commands = [] }
      return state.commands
    }
    for case .start(let transfer) in commands {
      transfer.fail(
        transfer.error(.cannotConnect, "The system has no thread to spare for the transfer."))
    }
  }
}
