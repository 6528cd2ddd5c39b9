/// Reconciles one local store with one remote.
public final class SyncEngine: Sendable {
  public let store: LocalStore
  public let remote: any RemoteStore
  public let options: SyncOptions

  public init(store: LocalStore, remote: any RemoteStore, options: SyncOptions = SyncOptions()) {
    self.store = store
    self.remote = remote
    self.options = options
  }

  /// What a run would do. Writes nothing, neither here nor there.
  public func plan() async throws -> SyncPlan { SyncPlan(direction: options.direction) }

  /// Makes both sides agree.
  ///
  /// Everything that can be expected to go wrong is an outcome of the report; throws only
  /// `CancellationError`.
  public func synchronize() async throws -> SyncReport { SyncReport(direction: options.direction) }
}
