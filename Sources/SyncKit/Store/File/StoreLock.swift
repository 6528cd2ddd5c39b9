/// The right to run with one store: one run at a time, across processes.
///
/// The kernel gives it back when the process ends, however it ends.
public final class StoreLock: Sendable {
  /// Who holds a store.
  public struct Holder: Sendable, Equatable {
    public var pid: Int32
    public var since: Timestamp
  }

  private init() {}

  /// Takes the lock of the store at `storePath`, waiting up to `wait` while another run holds it.
  ///
  /// - Throws: `SyncError(.locked)`, which names the holder; `CancellationError`.
  public static func acquire(
    storePath: String, wait: Duration = .zero, clock: some Clock<Duration> = ContinuousClock()
  ) async throws -> StoreLock {
    StoreLock()
  }

  /// Gives the lock back; so does the last reference to it when it goes.
  public func release() {}
}
