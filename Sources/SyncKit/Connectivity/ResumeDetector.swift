internal import Synchronization

#if os(Linux)
  internal import CLinux
  internal import Glibc
#endif

/// Tells that the machine slept.
///
/// On Linux the kernel says so by itself. Elsewhere only looking shows it: whoever is woken by
/// anything calls `look()`.
public final class ResumeDetector: Sendable {
  private struct State {
    var gauge: SleepGauge
    var next = 0
    var followers: [Int: AsyncStream<Duration>.Continuation] = [:]
    var watch: DescriptorWatch?
  }

  private let state: Mutex<State>
  private let read: @Sendable () -> ClockReading

  /// - Parameter read: reads the machine's clocks.
  public init(read: @escaping @Sendable () -> ClockReading = { .now() }) {
    self.read = read
    state = Mutex(State(gauge: SleepGauge(read())))
  }

  deinit {
    let followers = state.withLock { state in
      state.watch?.cancel()
      return Array(state.followers.values)
    }
    for follower in followers { follower.finish() }
  }

  /// An element for each time the machine has woken up from now on: how long it slept. Each call
  /// follows on its own; nothing is held any more once nobody follows.
  public func resumes() -> AsyncStream<Duration> {
    AsyncStream { continuation in
      let key = state.withLock { state in
        if state.watch == nil { state.watch = makeWatch() }
        state.next += 1
        state.followers[state.next] = continuation
        return state.next
      }
      continuation.onTermination = { [weak self] _ in self?.forget(key) }
    }
  }

  /// Compares the clocks now; everyone who follows hears of a sleep.
  ///
  /// - Returns: how long the machine slept since the last look; nil when it did not.
  @discardableResult
  public func look() -> Duration? {
    state.withLock { state in
      guard let slept = state.gauge.slept(until: read()) else { return nil }
      for follower in state.followers.values { follower.yield(slept) }
      return slept
    }
  }

  /// Whether it holds a descriptor.
  package var isWatching: Bool { state.withLock { $0.watch != nil } }

  private func forget(_ key: Int) {
    let watch = state.withLock { state in
      state.followers[key] = nil
      defer { if state.followers.isEmpty { state.watch = nil } }
      return state.followers.isEmpty ? state.watch : nil
    }
    watch?.cancel()
  }

  #if os(Linux)
    private func makeWatch() -> DescriptorWatch? {
      guard let timer = ClockSetTimer() else { return nil }
      return DescriptorWatch(timer.descriptor, label: "syncd.resume") { [weak self] in
        guard timer.rearm() else { return false }
        self?.look()
        return self != nil
      }
    }
  #else
    private func makeWatch() -> DescriptorWatch? { nil }
  #endif
}

#if os(Linux)
  /// A timer that never runs down, but can be read as soon as the wall clock jumps: when somebody
  /// sets it, and when the machine wakes up.
  struct ClockSetTimer: Sendable {
    let descriptor: Int32
    private let seconds: Int

    /// - Parameter seconds: since 1970; the year 2223 unless said otherwise. The kernel counts
    ///   nanoseconds in 63 bits.
    init?(seconds: Int = 8_000_000_000) {
      descriptor = syncd_timerfd_create(CLOCK_REALTIME)
      self.seconds = seconds
      guard descriptor >= 0 else { return nil }
      guard arm() else {
        close(descriptor)
        return nil
      }
    }

    /// Takes note of a jump, and waits for the next.
    func rearm() -> Bool {
      var count: UInt64 = 0
      // Fails with ECANCELED after a jump, which is all there is to it.
      _ = Glibc.read(descriptor, &count, MemoryLayout<UInt64>.size)
      return arm()
    }

    private func arm() -> Bool {
      var value = itimerspec()
      value.it_value.tv_sec = seconds
      return syncd_timerfd_set_until_clock_is_set(descriptor, &value) == 0
    }
  }
#endif
