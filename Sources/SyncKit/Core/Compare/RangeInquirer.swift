/// The side that asks, and learns where the other side's set differs from its own.
///
/// It asks about its whole set in parts; parts that are equal are done with, others are cut further,
/// by either side, until what is in them is named. What it finds is so at some moment since the first
/// answer: whoever writes meanwhile is heard of by asking for the changes since that one.
package struct RangeInquirer: Sendable {
  /// An answer that is none to the question.
  package struct Malformed: Error {}

  /// What is still to be asked, in the order of ids.
  private var open: [AskedRange]
  private let parts: Int
  /// Questions so far.
  package private(set) var questions = 0

  package init(_ set: ChunkedRanges) throws {
    parts = RangeLimits.parts(forSetOf: set.count)
    open = []
    open = try refined(IDRange(), count: set.count, set)
  }

  package var isDone: Bool { open.isEmpty }

  /// The next question.
  package mutating func question() -> RangeQuestion {
    questions += 1
    return RangeQuestion(parts: parts, ranges: Array(open.prefix(RangeLimits.asked)))
  }

  /// Takes the answer to the question asked last.
  ///
  /// - Returns: what the other side holds differently.
  /// - Throws: `Malformed`; what reading the set throws.
  package mutating func take(
    _ answer: RangeAnswer, to question: RangeQuestion, from set: ChunkedRanges
  ) throws -> [RemoteChange] {
    let answered = answer.contents.count
    guard (1...question.ranges.count).contains(answered) else { throw Malformed() }
    var changes: [RemoteChange] = []
    var next: [AskedRange] = []
    for (asked, contents) in zip(question.ranges, answer.contents) {
      switch contents {
      case .equal:
        guard asked.fingerprint != nil else { throw Malformed() }
      case .parts(let bounds, let fingerprints):
        guard let ranges = asked.range.cut(at: bounds), ranges.count == fingerprints.count else {
          throw Malformed()
        }
        for (range, fingerprint) in zip(ranges, fingerprints) {
          let sum = try set.sum(of: range)
          guard fingerprint != set.hashing.digest(sum) else { continue }
          next += try refined(range, count: sum.count, set)
        }
      case .items(let items):
        changes += try Self.differences(
          items, from: try set.items(in: asked.range), in: asked.range)
      }
    }
    // What was not answered lies behind all that was.
    open = next + open.dropFirst(answered)
    return changes
  }

  /// How to ask about a range that is not known to be equal.
  private func refined(
    _ range: IDRange, count: Int, _ set: ChunkedRanges
  ) throws -> [AskedRange] {
    if count <= RangeLimits.wanted { return [AskedRange(range)] }
    return try set.split(range, into: RangeLimits.parts(forRangeOf: count, atMost: parts)).map {
      AskedRange($0.range, fingerprint: set.hashing.digest($0.sum))
    }
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
