/// What a range of a set comes to: how many items there are, and the sum of their hashes modulo
/// 2^256. Sums can be taken from one another, which is why they are no hashes of hashes.
package struct RangeSum: Sendable, Equatable {
  package var count = 0
  /// The lowest word first.
  private var words: SIMD4<UInt64> = .zero

  package init() {}

  /// - Parameter bytes: 32 bytes, the lowest first: one item's hash, or a sum that was kept. What is
  ///   missing counts as zero.
  package init(count: Int, bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { RangeSum(count: count, bytes: $0) }
  }

  package init(count: Int, bytes: UnsafeRawBufferPointer) {
    self.count = count
    withUnsafeMutableBytes(of: &words) {
      $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(32)))
    }
    for index in 0..<4 { words[index] = UInt64(littleEndian: words[index]) }
  }

  package var bytes: [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64($0 % 8 * 8)) }
  }

  package static func += (sum: inout RangeSum, other: RangeSum) {
    sum.count += other.count
    var carry: UInt64 = 0
    for index in 0..<4 {
      let (first, overflow) = sum.words[index].addingReportingOverflow(other.words[index])
      let (word, second) = first.addingReportingOverflow(carry)
      sum.words[index] = word
      carry = overflow || second ? 1 : 0
    }
  }

  package static func -= (sum: inout RangeSum, other: RangeSum) {
    sum.count -= other.count
    var borrow: UInt64 = 0
    for index in 0..<4 {
      let (first, overflow) = sum.words[index].subtractingReportingOverflow(other.words[index])
      let (word, second) = first.subtractingReportingOverflow(borrow)
      sum.words[index] = word
      borrow = overflow || second ? 1 : 0
    }
  }
}

/// The hash functions of a comparison, with the key that both sides know: without it, nobody can
/// look for two sets of one sum.
package struct RangeHashing: Sendable {
  /// The hash of one item, as a sum of one.
  package var item: @Sendable (ProjectID, Version) -> RangeSum
  /// What is sent of a sum: a hash of its count and its bytes.
  package var digest: @Sendable (RangeSum) -> RangeFingerprint

  package init(
    item: @escaping @Sendable (ProjectID, Version) -> RangeSum,
    digest: @escaping @Sendable (RangeSum) -> RangeFingerprint
  ) {
    self.item = item
    self.digest = digest
  }

  package func sum(_ items: some Sequence<RangeItem>) -> RangeSum {
    items.reduce(into: RangeSum()) { $0 += item($1.id, $1.version) }
  }
}
