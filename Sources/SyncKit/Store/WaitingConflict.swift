/// A record that both sides changed, and that waits for somebody to decide.
public struct WaitingConflict: Sendable, Equatable {
  public var id: ProjectID
  /// When a run first met it.
  public var since: Timestamp
  /// What is here now; nil where it was deleted meanwhile, and the next run decides by the rules.
  public var local: Project?
  /// What the remote had when a run last looked; nil where it could not be fetched.
  public var remote: Project?
  public var remoteVersion: Version
  /// What both sides last agreed on; nil where that is not known.
  public var base: Project?

  public init(id: ProjectID, since: Timestamp, remoteVersion: Version) {
    self.id = id
    self.since = since
    self.remoteVersion = remoteVersion
  }

  /// The merger of both versions; nil where one of the three is not known.
  public var merge: RecordMerge? {
    guard let local, let remote, let base,
      case .different(let greater) = ContentComparison(local: local, remote: remote)
    else { return nil }
    return RecordMerge(base: base, local: local, remote: remote, greaterHash: greater)
  }
}

extension RecordMerge {
  /// Merges with the newer side going first; where the stamps are equal, that of the greater hash.
  package init(base: Project, local: Project, remote: Project, greaterHash: Side) {
    self.init(
      base: base, local: local, remote: remote,
      newer: Reconciler.newer(
        local: local.updatedAt, remote: remote.updatedAt, greaterHash: greaterHash))
  }
}
