/// The side that is asked: it keeps nothing between two questions.
package enum RangeResponder {
  /// - Parameter digests: reads all there is in a range, in the order of ids.
  /// - Returns: what is said of the ranges asked about, in their order. An answer that grows too long,
  ///   or takes too much reading, ends after a whole range, and after the first at the earliest.
  package static func answer(
    _ question: RangeQuestion, from set: ChunkedRanges,
    digests: (IDRange) throws -> [RemoteDigest]
  ) throws -> RangeAnswer {
    var answer = RangeAnswer(records: set.count, contents: [])
    var (items, parts) = (0, 0)
    for asked in question.ranges {
      guard items < RangeLimits.itemsAnswered, parts < RangeLimits.partsAnswered,
        set.itemsRead < RangeLimits.itemsRead
      else { break }
      let sum = try set.sum(of: asked.range)
      let listed =
        asked.fingerprint == nil ? RangeLimits.listedOnRequest : RangeLimits.listed
      if let known = asked.fingerprint, known == set.hashing.digest(sum) {
        answer.contents.append(.equal)
      } else if sum.count <= listed {
        let named = try digests(asked.range)
        items += named.count
        answer.contents.append(.items(named))
      } else {
        let cut = try set.split(
          asked.range,
          into: RangeLimits.parts(forRangeOf: sum.count, atMost: question.parts))
        parts += cut.count
        answer.contents.append(
          .parts(
            bounds: cut.dropFirst().compactMap(\.range.lower),
            cut.map { set.hashing.digest($0.sum) }))
      }
    }
    return answer
  }
}
