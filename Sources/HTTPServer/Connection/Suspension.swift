internal import CMicrohttpd
import Synchronization

/// A connection that may wait without a thread: its own callback suspends it, anyone resumes it.
///
/// libmicrohttpd wants a connection to be suspended only from its own callback, resumed only while
/// it exists, and none to be suspended when the daemon stops. One lock holds all three.
final class Suspension: Sendable {
  private enum State {
    /// At first, and after a resume: the connection's callbacks are called.
    case running
    /// Its callback had nothing to do and said so.
    case suspended
    /// The request ended, or the daemon stops: the connection is never touched again.
    case over
  }

  private struct Connection: @unchecked Sendable {
    // Only used under the lock, and not once the state is `over`.
    let pointer: OpaquePointer
  }

  private let connection: Connection
  private let state: Mutex<State>

  init(_ pointer: OpaquePointer, isOver: Bool) {
    connection = Connection(pointer: pointer)
    state = Mutex(isOver ? .over : .running)
  }

  /// Only to be called from a callback of the connection, which then returns without having done
  /// anything.
  ///
  /// - Returns: false when it must not wait any more.
  func suspend() -> Bool {
    state.withLock { state in
      guard state == .running else { return false }
      MHD_suspend_connection(connection.pointer)
      state = .suspended
      return true
    }
  }

  /// Lets the callback be called again, on any thread; does nothing where it is not waiting.
  func resume() {
    state.withLock { state in
      guard state == .suspended else { return }
      MHD_resume_connection(connection.pointer)
      state = .running
    }
  }

  /// Resumes for the last time.
  func end() {
    state.withLock { state in
      if state == .suspended { MHD_resume_connection(connection.pointer) }
      state = .over
    }
  }
}

/// The connections of one daemon that may wait.
final class Suspensions: Sendable {
  private struct State {
    var members: [ObjectIdentifier: Suspension] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  func make(_ pointer: OpaquePointer) -> Suspension {
    state.withLock { state in
      let suspension = Suspension(pointer, isOver: state.isClosed)
      state.members[ObjectIdentifier(suspension)] = suspension
      return suspension
    }
  }

  /// The request is over.
  func end(_ suspension: Suspension) {
    suspension.end()
    state.withLock { state in
      state.members[ObjectIdentifier(suspension)] = nil
    }
  }

  /// Resumes all that wait; none waits ever after.
  func close() {
    let members = state.withLock { state in
      state.isClosed = true
      return Array(state.members.values)
    }
    for suspension in members { suspension.end() }
  }
}
