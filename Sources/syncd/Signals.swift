@preconcurrency import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The end that a signal brings: everything is tidied up, and the process may go.
struct Interrupted: Error {
  let signal: Int32
}

/// Listens for signals that ask the process to end.
///
/// Built outside of any actor: a handler that Dispatch calls must not believe that it is isolated.
final class Signals: Sendable {
  static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP]

  private let sources: Mutex<[any DispatchSourceSignal]>

  /// - Parameter handle: called for each signal, on a queue of Dispatch.
  init(_ signals: [Int32] = ending, handle: @escaping @Sendable (Int32) -> Void) {
    let queue = DispatchQueue(label: "syncd.signals")
    let made: [any DispatchSourceSignal] = signals.compactMap { number in
      if number == SIGHUP, Self.isIgnored(number) { return nil }
      // The default action would end the process before the source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { handle(number) }
      source.resume()
      return source
    }
    sources = Mutex(made)
  }

  /// Whether whoever started the process wants it to outlive this signal: nohup does.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Stops listening, and gives the signals their default action back.
  func stop() {
    let stopped = sources.withLock { sources in
      defer { sources = [] }
      return sources
    }
    for source in stopped {
      source.cancel()
      signal(Int32(source.handle), SIG_DFL)
    }
  }

  /// Runs `body`; a signal cancels it, and a second one ends the process at once.
  ///
  /// - Throws: `Interrupted` when a signal came and `body` threw because of it.
  static func cancelling<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await body() }
    let received = Received()
    let signals = Signals { number in
      if received.take(number) { task.cancel() } else { raiseAgain(number) }
    }
    defer { signals.stop() }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      if let number = received.signal { throw Interrupted(signal: number) }
      throw error
    }
  }

  /// Waits until a signal comes.
  static func wait() async -> Int32 {
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    let signals = Signals { continuation.yield($0) }
    defer { signals.stop() }
    for await number in stream { return number }
    return 0
  }

  /// Ends the process as the signal would have, so that whoever started it can tell.
  static func raiseAgain(_ number: Int32) {
    signal(number, SIG_DFL)
    // Dispatch keeps the signals that it listens for blocked.
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
  }

  /// The first signal that came.
  private final class Received: Sendable {
    private let number = Mutex<Int32?>(nil)

    var signal: Int32? { number.withLock { $0 } }

    /// - Returns: whether it is the first.
    func take(_ signal: Int32) -> Bool {
      number.withLock { number in
        defer { number = number ?? signal }
        return number == nil
      }
    }
  }
}
