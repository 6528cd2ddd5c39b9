/// What the local store says of one id.
public struct LocalEntry: Sendable, Equatable {
  public var updatedAt: Timestamp

  public init(updatedAt: Timestamp) {
    self.updatedAt = updatedAt
  }
}

/// What the remote says of one id.
public struct RemoteEntry: Sendable, Equatable {
  /// Nil where it is not known before the contents are.
  public var updatedAt: Timestamp?
  public var version: Version

  public init(updatedAt: Timestamp?, version: Version) {
    self.updatedAt = updatedAt
    self.version = version
  }
}

/// What the two sides last agreed on for one id.
public struct BaseEntry: Sendable, Equatable {
  public var localUpdatedAt: Timestamp
  public var remoteVersion: Version

  public init(localUpdatedAt: Timestamp, remoteVersion: Version) {
    self.localUpdatedAt = localUpdatedAt
    self.remoteVersion = remoteVersion
  }
}

/// Whose version a conflict ends with.
public enum ConflictWinner: String, Sendable, CaseIterable {
  case local
  case remote
  /// A third version, with the changes of both.
  case merged

  public init(_ side: Side) { self = side == .local ? .local : .remote }
}

/// What is to be done about one id.
public enum Decision: Sendable, Equatable {
  case unchanged
  /// The side lacks the record and gets it.
  case append(to: Side)
  /// The side gets the other's contents in place of its own.
  case update(Side)
  /// The record goes from the side; the other does not have it.
  case delete(from: Side)
  /// The side alone has the record, and the deletion policy keeps it there.
  case keep(on: Side)
  /// The side to be changed has the newer version, which is left alone.
  case leaveNewer(on: Side)
  /// Both sides hold the same; the base takes note.
  case adopt
  /// Both sides changed; nil leaves both as they are until someone decides.
  case conflict(winner: ConflictWinner?)
  /// Neither side has the record; the base forgets it.
  case forget
  /// The stamps do not settle it: decide again with both contents compared.
  case compareContents
}
