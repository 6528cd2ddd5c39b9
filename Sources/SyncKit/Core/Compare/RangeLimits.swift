/// The sizes of a comparison: what is best for the number of requests and bytes, and what one question
/// may cost at most.
package enum RangeLimits {
  /// Items that are named rather than cut further, where the other side did not ask for them.
  package static let listed = 32
  /// The same where it did.
  package static let listedOnRequest = 1024
  /// Items that are asked for rather than asked about in parts.
  package static let wanted = 4
  /// Parts that a range may be cut into.
  package static let parts = 2...64
  /// Ranges in one question.
  package static let asked = 65_536
  /// Items after which an answer ends.
  package static let itemsAnswered = 32_768
  /// Parts after which an answer ends.
  package static let partsAnswered = 65_536
  /// The most items and parts in an answer that ends so.
  package static let itemsInAnswer = itemsAnswered + listedOnRequest
  package static let partsInAnswer = partsAnswered + parts.upperBound
  /// Items read after which an answer ends.
  package static let itemsRead = 1 << 19
  /// Questions after which a listing is the better way.
  package static let questions = 64

  /// The parts to cut ranges of a set into, so that two questions find what differs among a million
  /// items, and three what does among far more than there will be.
  ///
  /// Each question cuts twice, once on either side. What is left before the last cut is to be 512
  /// items or so, of which that cut makes 32 parts of 16.
  package static func parts(forSetOf count: Int) -> Int {
    for parts in 8...48 where 512 * parts * parts >= count { return parts }
    for parts in 8...64 where 512 * parts * parts * parts * parts >= count { return parts }
    return 64
  }

  /// The parts to cut one range into: with a fingerprint in 12 bytes and an item in 25, the fewest
  /// bytes are sent where there are two parts for each item in a part. So the last cut is made, into
  /// as many as 46 parts; others into `most`.
  package static func parts(forRangeOf count: Int, atMost most: Int) -> Int {
    let enough = count <= 1024 ? 46 : most
    for parts in 2..<enough where parts * parts >= 2 * count { return parts }
    return enough
  }
}
