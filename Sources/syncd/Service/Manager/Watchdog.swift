/// Gives signs of life to the service manager, as long as there is life: a service that hangs in
/// its work is not kept alive by a timer that still runs.
struct Watchdog: Sendable {
  /// What the service is doing.
  struct Progress: Sendable, Equatable {
    /// When it last came on with its work, on the clock that `now` is read from.
    var lastMade: Duration
    /// Whether it has nothing to do, or waits by right: for the network, a time, a decision.
    var isIdle: Bool
  }

  /// How often a sign of life is expected.
  let interval: Duration
  /// How long work may come to nothing before it counts as hanging.
  let patience: Duration

  init(interval: Duration, patience: Duration = .seconds(300)) {
    self.interval = interval
    self.patience = patience
  }

  func isAlive(_ progress: Progress, at now: Duration) -> Bool {
    progress.isIdle || now - progress.lastMade < patience
  }

  /// Gives signs of life until it is cancelled, three for each that is expected.
  ///
  /// - Parameters:
  ///   - progress: asks the service itself, so that one that answers no more gives no sign either.
  ///   - keepAlive: a sign of life.
  ///   - stalled: called when signs begin to be withheld.
  func run(
    clock: some Clock<Duration>, now: @Sendable () -> Duration,
    progress: @Sendable () async -> Progress, keepAlive: @Sendable () -> Void,
    stalled: @Sendable () -> Void
  ) async {
    var isStalled = false
    while !Task.isCancelled {
      let progress = await progress()
      if isAlive(progress, at: now()) {
        isStalled = false
        keepAlive()
      } else if !isStalled {
        isStalled = true
        stalled()
      }
      do { try await clock.sleep(for: interval / 3) } catch { return }
    }
  }
}
