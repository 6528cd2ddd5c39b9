#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A thread of its own, for work that blocks: the pool that tasks share must never wait.
package enum DedicatedThread {
  /// Runs `body` on a new, detached thread that takes no signals.
  ///
  /// - Returns: false when the system has no thread to give; `body` does not run then.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(Body(run: body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, nil,
        { context in
          Body.main(context)
          return nil
        }, context.toOpaque())
      if code == 0, let thread { pthread_detach(thread) }
    #else
      var thread: pthread_t = 0
      let code = pthread_create(
        &thread, nil,
        { context in
          if let context { Body.main(context) }
          return nil
        }, context.toOpaque())
      if code == 0 { pthread_detach(thread) }
    #endif
    if code != 0 { context.release() }
    return code == 0
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
