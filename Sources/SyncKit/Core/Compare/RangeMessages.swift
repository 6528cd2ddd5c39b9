/// The ids from one to before another, in the order of their bytes.
public struct IDRange: Sendable, Hashable {
  /// The first id that may be in it; nil for no limit.
  public var lower: ProjectID?
  /// The first id behind it; nil for no limit.
  public var upper: ProjectID?

  public init(from lower: ProjectID? = nil, to upper: ProjectID? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Whether no id can be in it.
  package var isEmpty: Bool {
    guard let lower, let upper else { return false }
    return upper <= lower
  }

  public func contains(_ id: ProjectID) -> Bool {
    (lower.map { $0 <= id } ?? true) && (upper.map { id < $0 } ?? true)
  }

  /// The parts between these ids; nil where they are not in order, or not inside the range.
  package func cut(at bounds: [ProjectID]) -> [IDRange]? {
    let ends = [lower] + bounds.map(Optional.some) + [upper]
    let parts = zip(ends, ends.dropFirst()).map { IDRange(from: $0, to: $1) }
    return parts.contains { $0.isEmpty } ? nil : parts
  }
}

/// What is sent of a range's sum: 64 bits of a keyed hash.
public struct RangeFingerprint: Sendable, Hashable {
  public var bits: UInt64

  public init(bits: UInt64) {
    self.bits = bits
  }
}

/// What one side asks about a range.
public struct AskedRange: Sendable, Equatable {
  public var range: IDRange
  /// The fingerprint of the range as the asking side knows it; nil asks for what is in it.
  public var fingerprint: RangeFingerprint?

  public init(_ range: IDRange, fingerprint: RangeFingerprint? = nil) {
    self.range = range
    self.fingerprint = fingerprint
  }
}

/// One question about ranges, which do not overlap and come in their order.
public struct RangeQuestion: Sendable, Equatable {
  /// Parts that a range that differs is best cut into, 2 to 64.
  public var parts: Int
  public var ranges: [AskedRange]

  public init(parts: Int, ranges: [AskedRange]) {
    self.parts = parts
    self.ranges = ranges
  }
}

/// What the other side says of a range.
public enum RangeContents: Sendable, Equatable {
  /// It has the fingerprint that was asked about.
  case equal
  /// It has another one, or too many items to name: the fingerprints of its parts, and the bounds
  /// between them, of which there is one less.
  case parts(bounds: [ProjectID], [RangeFingerprint])
  /// All there is in it, in the order of ids.
  case items([RemoteDigest])
}

/// The answer to one question about ranges.
public struct RangeAnswer: Sendable, Equatable {
  /// The records that the remote holds.
  public var records: Int
  /// What is said of each range that was asked about, in their order; the last ones may be missing.
  public var contents: [RangeContents]

  public init(records: Int, contents: [RangeContents]) {
    self.records = records
    self.contents = contents
  }
}

/// One item of a set that is compared.
package struct RangeItem: Sendable, Equatable {
  package var id: ProjectID
  package var version: Version

  package init(_ id: ProjectID, _ version: Version) {
    self.id = id
    self.version = version
  }
}
