/// The local store of projects.
public actor LocalStore {
  public nonisolated let path: String

  public init(path: String) throws(SyncError) { self.path = path }
}
