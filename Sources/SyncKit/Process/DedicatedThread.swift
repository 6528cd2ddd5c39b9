internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A thread of its own, for work that blocks: the pool that tasks share must never wait.
package final class DedicatedThread: Sendable {
  /// Nil once it was joined. Unchecked because it is only ever handed to the system.
  private struct Handle: @unchecked Sendable {
    let thread: pthread_t
  }

  private let handle: Mutex<Handle?>

  /// Runs `body` on a new thread that takes no signals. It goes on when this value is gone.
  ///
  /// - Returns: nil when the system has no thread to give; `body` does not run then.
  package init?(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(run: body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, nil,
        { context in
          Body.main(context)
          return nil
        }, context.toOpaque())
    #else
      var started: pthread_t = 0
      let code = pthread_create(
        &started, nil,
        { context in
          if let context { Body.main(context) }
          return nil
        }, context.toOpaque())
      let thread: pthread_t? = started
    #endif
    guard code == 0, let thread else {
      context.release()
      return nil
    }
    handle = Mutex(Handle(thread: thread))
  }

  /// Runs `body` on a thread that nobody waits for.
  ///
  /// - Returns: false when the system has no thread to give.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    DedicatedThread(body) != nil
  }

  /// Returns once the thread is gone, with all that it does on its way out. For any other thread.
  package func join() {
    handle.withLock { handle in
      if let handle { pthread_join(handle.thread, nil) }
      handle = nil
    }
  }

  deinit {
    handle.withLock { if let handle = $0 { pthread_detach(handle.thread) } }
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }

    static func main(_ context: UnsafeMutableRawPointer) {
      let signals = UnsafeMutablePointer<sigset_t>.allocate(capacity: 1)
      sigfillset(signals)
      pthread_sigmask(SIG_SETMASK, signals, nil)
      signals.deallocate()
      Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    }
  }
}
