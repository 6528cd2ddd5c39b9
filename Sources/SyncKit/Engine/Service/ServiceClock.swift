/// The clock that a service was handed, as durations since the service was made.
struct ServiceClock: Sendable {
  let elapsed: @Sendable () -> Duration
  /// Returns at that moment, at once where it has passed. Cancellable.
  let sleep: @Sendable (_ moment: Duration) async throws -> Void

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }
}
