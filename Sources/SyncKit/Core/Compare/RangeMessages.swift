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

  /// The parts between these ids, which are inside the range and in order.
  package func cut(at bounds: [ProjectID]) -> [IDRange] {
    let ends = bounds.filter { $0 != lower }
    return zip([lower] + ends, ends + [upper]).map {
      IDRange(from: $0, to: $1)
    }
  }
}

/// What one side asks about a range.
public struct AskedRange: Sendable, Equatable {
  public var range: IDRange
  /// The fingerprint of the range as the asking side knows it; nil asks for what is in it.
  public var fingerprint: String?

  public init(_ range: IDRange, fingerprint: String? = nil) {
    self.range = range
    self.fingerprint = fingerprint
  }
}

/// What the other side says of a range.
public enum RangeContents: Sendable, Equatable {
  /// It has the fingerprint that was asked about.
  case equal
  /// It has another one, or too many items to name: this is that of a part.
  case fingerprint(String)
  /// All there is in it, in the order of ids.
  case items([RemoteDigest])
}

/// A range that was asked about, or a part of one, and what the other side says of it.
public struct AnsweredRange: Sendable, Equatable {
  public var range: IDRange
  public var contents: RangeContents

  public init(_ range: IDRange, _ contents: RangeContents) {
    self.range = range
    self.contents = contents
  }
}

/// The answer to one question about ranges.
public struct RangeAnswer: Sendable, Equatable {
  /// The records that the remote holds.
  public var records: Int
  /// The parts of the ranges that were asked about, in their order; the last ones may be missing.
  public var ranges: [AnsweredRange]

  public init(records: Int, ranges: [AnsweredRange]) {
    self.records = records
    self.ranges = ranges
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

/// The sizes of a comparison: fan-out 16 and lists of up to 32 items were the best in simulation.
package enum RangeLimits {
  /// Parts that a range is cut into.
  package static let parts = 16
  /// Items that are named rather than cut further.
  package static let listed = 32
  /// The same where the other side asked for them.
  package static let listedOnRequest = 1024
  /// Ranges in one question.
  package static let asked = 256
  /// Items after which an answer ends.
  package static let itemsAnswered = 4096
  /// Ranges after which an answer ends.
  package static let rangesAnswered = 4096
  /// Questions after which a listing is the better way.
  package static let questions = 64
}
