/// One of the two stores that are reconciled.
public enum Side: String, Sendable, CaseIterable {
  case local
  case remote

  public var other: Side { self == .local ? .remote : .local }
}

/// Which side is made equal to which.
public enum Direction: String, Sendable, CaseIterable {
  /// The remote is made equal to the local store.
  case push
  /// The local store is made equal to the remote.
  case pull
  /// Two-way.
  case both
}

/// What happens to a record that only the side to be changed has.
public enum DeletionPolicy: String, Sendable, CaseIterable {
  /// It is deleted.
  case propagate
  /// It is deleted only if both sides once agreed on it.
  case known
  /// It is kept.
  case never
}

/// Which version is kept when both sides changed one record.
public enum ConflictPolicy: String, Sendable, CaseIterable {
  /// The greater `updatedAt`; a tie goes to the greater content hash.
  case newest
  case local
  case remote
  /// Neither: both stay as they are until someone decides.
  case manual
  /// Both, field by field; `newest` where what was agreed before is not known.
  case merge
}
