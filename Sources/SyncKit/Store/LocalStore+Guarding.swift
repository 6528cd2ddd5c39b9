extension LocalStore {
  /// Runs `body` and turns what SQLite says into a sentence for people.
  func guarding<Result>(_ body: () throws -> Result) throws(SyncError) -> Result {
    do { return try body() } catch let error as SyncError { throw error } catch {
      throw SyncError(.store, "\(error)", underlying: error)
    }
  }
}

extension LocalStore {
  package func noteRun(url: String, reportJSON: String, at: Timestamp) throws(SyncError) {}
  package func projects(
    _ ids: [ProjectID], maximumBytes: Int
  ) throws(SyncError) -> [Project?] { try projects(ids) }
  static func normalised(_ url: String) -> String { url }
}
