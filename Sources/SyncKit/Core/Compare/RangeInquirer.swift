/// The side that asks, and learns where the other side's set differs from its own.
///
/// It asks about its whole set in parts; parts that are equal are done with, others are cut further,
/// by either side, until what is in them is named. What it finds is so at some moment since the first
/// answer: whoever writes meanwhile is heard of by asking for the changes since that one.
package struct RangeInquirer: Sendable {
  /// An answer that is none to the question.
  package struct Malformed: Error {}

  /// What is still to be asked about.
  private var open: [IDRange]
  /// Questions so far.
  package private(set) var questions = 0

  package init(_ set: ChunkedRanges) throws {
    open = [IDRange()]
    if set.count > RangeLimits.listed {
      open = try set.split(IDRange(), into: RangeLimits.parts)
    }
  }

  package var isDone: Bool { open.isEmpty }

  /// The next question.
  package mutating func question(from set: ChunkedRanges) throws -> [AskedRange] {
    questions += 1
    return try open.prefix(RangeLimits.asked).map { range in
      AskedRange(range, fingerprint: set.hashing.digest(try set.sum(of: range)))
    }
  }

  /// Takes the answer to the question asked last.
  ///
  /// - Returns: what the other side holds differently.
  /// - Throws: `Malformed`; what reading the set throws.
  package mutating func take(
    _ answers: [AnsweredRange], to asked: [AskedRange], from set: ChunkedRanges
  ) throws -> [RemoteChange] {
    var changes: [RemoteChange] = []
    var refined: [IDRange] = []
    var rest = answers[...]
    var answered = 0
    for question in asked where !rest.isEmpty {
      answered += 1
      var reached = question.range.lower
      repeat {
        guard let part = rest.popFirst(), part.range.lower == reached,
          Self.isInside(part.range, question.range)
        else { throw Malformed() }
        reached = part.range.upper
        switch part.contents {
        case .equal:
          guard question.fingerprint != nil, part.range == question.range else { throw Malformed() }
        case .fingerprint(let fingerprint):
          let sum = try set.sum(of: part.range)
          guard fingerprint != set.hashing.digest(sum) else { continue }
          refined +=
            sum.count > RangeLimits.listed
            ? try set.split(part.range, into: RangeLimits.parts) : [part.range]
        case .items(let items):
          changes += try Self.differences(
            items, from: try set.items(in: part.range), in: part.range)
        }
      } while reached != question.range.upper
    }
    guard answered > 0, rest.isEmpty else { throw Malformed() }
    open.removeFirst(answered)
    open += refined
    return changes
  }

  /// Whether a part goes forward, and not past the end of the whole.
  private static func isInside(_ part: IDRange, _ whole: IDRange) -> Bool {
    guard let upper = part.upper else { return whole.upper == nil }
    return (part.lower.map { $0 < upper } ?? true) && (whole.upper.map { upper <= $0 } ?? true)
  }

  private static func differences(
    _ theirs: [RemoteDigest], from ours: [RangeItem], in range: IDRange
  ) throws -> [RemoteChange] {
    var changes: [RemoteChange] = []
    var rest = ours[...]
    var last: ProjectID?
    for digest in theirs {
      guard range.contains(digest.id), last.map({ $0 < digest.id }) ?? true else {
        throw Malformed()
      }
      last = digest.id
      while let own = rest.first, own.id < digest.id {
        changes.append(.absent(own.id))
        rest.removeFirst()
      }
      let own = rest.first?.id == digest.id ? rest.popFirst() : nil
      if own?.version != digest.version { changes.append(.stored(digest)) }
    }
    return changes + rest.map { .absent($0.id) }
  }
}
