/// What is to be said of a range.
package enum RangeVerdict: Sendable, Equatable {
  case equal
  case fingerprint(String)
  /// Name what is in it.
  case list
}

/// The side that is asked: it keeps nothing between two questions.
package enum RangeResponder {
  /// - Returns: parts of the ranges asked about, in their order. An answer that grows too long ends
  ///   after a whole range, and after the first at the earliest.
  package static func answer(
    _ asked: [AskedRange], from set: ChunkedRanges
  ) throws -> [(range: IDRange, verdict: RangeVerdict)] {
    var answers: [(range: IDRange, verdict: RangeVerdict)] = []
    var items = 0
    for question in asked {
      guard items < RangeLimits.itemsAnswered, answers.count < RangeLimits.rangesAnswered else {
        break
      }
      let sum = try set.sum(of: question.range)
      let isAskedFor = question.fingerprint == nil
      if question.fingerprint == set.hashing.digest(sum) {
        answers.append((question.range, .equal))
      } else if sum.count <= (isAskedFor ? RangeLimits.listedOnRequest : RangeLimits.listed) {
        answers.append((question.range, .list))
        items += sum.count
      } else {
        for part in try set.split(question.range, into: RangeLimits.parts) {
          answers.append((part, .fingerprint(set.hashing.digest(try set.sum(of: part)))))
        }
      }
    }
    return answers
  }
}
