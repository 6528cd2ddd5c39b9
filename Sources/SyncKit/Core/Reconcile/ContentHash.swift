/// The hash of a record's contents: every field but `updatedAt`, in a canonical form.
///
/// The hash itself is made where a hash function is at hand; this room only says over which bytes.
/// Hashes are ordered, so that two devices that break a tie pick the same record.
public struct ContentHash: Sendable, Hashable, Comparable {
  /// 32 bytes of SHA-256.
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  public static func < (lhs: ContentHash, rhs: ContentHash) -> Bool {
    lhs.bytes.lexicographicallyPrecedes(rhs.bytes)
  }
}

/// What comparing the contents of one id's two sides says.
public enum ContentComparison: Sendable, Equatable {
  case same
  /// The contents differ, and the hash of this side's is the greater.
  case different(greaterHash: Side)

  public init(local: ContentHash, remote: ContentHash) {
    self = local == remote ? .same : .different(greaterHash: local > remote ? .local : .remote)
  }
}
