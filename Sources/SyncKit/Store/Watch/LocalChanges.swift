/// What changed in a store since somebody last looked.
public struct LocalChanges: Sendable, Equatable {
  /// The store's sequence at the moment of the look; the next look goes on from here.
  public var latest: Int64
  /// Projects that were changed here since, and which the remote has not agreed to yet.
  public var count: Int
  /// Whether there are such changes, and each is a deletion.
  public var areAllDeletions: Bool
  /// Whether the file that was opened is not at the store's path any more: the store must be opened
  /// again. Nothing is counted then.
  public var isStoreReplaced: Bool

  public init(
    latest: Int64, count: Int = 0, areAllDeletions: Bool = false, isStoreReplaced: Bool = false
  ) {
    self.latest = latest
    self.count = count
    self.areAllDeletions = areAllDeletions
    self.isStoreReplaced = isStoreReplaced
  }
}
