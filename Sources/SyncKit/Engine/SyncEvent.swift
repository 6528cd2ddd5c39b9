/// What happens during a run, as it happens.
public enum SyncEvent: Sendable, Equatable {
  case started(Direction)
  /// Entries of the remote's listing read so far.
  case listing(entries: Int)
  /// The plan is made and the guards let it pass.
  case planned(operations: Int)
  case progress(done: Int, of: Int)
  /// Something a person should know that ends nothing.
  case warning(String)
  case finished(SyncReport)
}
