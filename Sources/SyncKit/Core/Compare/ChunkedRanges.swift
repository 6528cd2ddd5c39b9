/// A set in the order of its ids, with the sums of its chunks at hand: the sum of any range is that
/// of whole chunks and of what is read at its two ends. It is of one moment.
package struct ChunkedRanges {
  /// Some items that follow one another.
  package struct Chunk: Sendable, Equatable {
    /// The first id that belongs to it; nil for the first chunk, to which whatever comes before the
    /// second belongs.
    package var first: ProjectID?
    package var sum: RangeSum

    package init(first: ProjectID?, sum: RangeSum = RangeSum()) {
      self.first = first
      self.sum = sum
    }
  }

  /// Items in a chunk, where it is made anew: the fewer, the less is read at the ends of a range, and
  /// the more rows of chunks there are.
  package static let chunkSize = 64

  /// Where the set is read.
  package struct Reader {
    /// Hands over the items of a range in the order of their ids.
    package var forEach: (IDRange, (RangeItem) -> Void) throws -> Void
    /// The greatest id before one, of an item or of none.
    package var last: (_ before: ProjectID) throws -> ProjectID?

    package init(
      forEach: @escaping (IDRange, (RangeItem) -> Void) throws -> Void,
      last: @escaping (_ before: ProjectID) throws -> ProjectID?
    ) {
      self.forEach = forEach
      self.last = last
    }
  }

  /// What was read last.
  private final class Window {
    var chunk: Int?
    var items: [RangeItem] = []
    /// The sums of all before the item of the same index; one more at the end.
    var before: [RangeSum] = []
    /// A bound inside a chunk, and the sum of all before it.
    var bound: (id: ProjectID, sum: RangeSum)?
    var read = 0
  }

  package let hashing: RangeHashing
  private let chunks: [Chunk]
  /// The sum of all chunks before the one of the same index; one more at the end.
  private let before: [RangeSum]
  private let reader: Reader
  private let window = Window()

  /// - Parameter chunks: in order; the first without an id.
  package init(_ chunks: [Chunk], hashing: RangeHashing, reader: Reader) {
    self.chunks = chunks.isEmpty ? [Chunk(first: nil)] : chunks
    self.hashing = hashing
    self.reader = reader
    var sum = RangeSum()
    var before = [sum]
    before.reserveCapacity(self.chunks.count + 1)
    for chunk in self.chunks {
      sum += chunk.sum
      before.append(sum)
    }
    self.before = before
  }

  package var count: Int { before[chunks.count].count }

  /// Items read so far to make sums. Where ranges are gone through in their order, no item is read
  /// much more than once.
  package var itemsRead: Int { window.read }

  package func items(in range: IDRange) throws -> [RangeItem] {
    var items: [RangeItem] = []
    try reader.forEach(range) { items.append($0) }
    return items
  }

  package func sum(of range: IDRange) throws -> RangeSum {
    if range.isEmpty { return RangeSum() }
    let (start, end) = (range.lower.map { place(of: $0) }, range.upper.map { place(of: $0) })
    // The next range may end in the same chunk where this one is so small.
    let isNarrow = (end ?? chunks.count) - (start ?? 0) <= 1
    let lower = try range.lower.map { try sum(before: $0, in: start ?? 0, whole: isNarrow) }
    let upper = try range.upper.map { try sum(before: $0, in: end ?? 0, whole: isNarrow) }
    var result = upper ?? before[chunks.count]
    if let lower { result -= lower }
    return result
  }

  /// Cuts a range into up to so many parts of nearly equal size.
  package func split(
    _ range: IDRange, into parts: Int
  ) throws -> [(range: IDRange, sum: RangeSum)] {
    let start =
      try range.lower.map { try sum(before: $0, in: place(of: $0), whole: true) }
      ?? RangeSum()
    let end =
      try range.upper.map { try sum(before: $0, in: place(of: $0), whole: true) }
      ?? before[chunks.count]
    let count = end.count - start.count
    let isCoarse = count >= parts * 2 * Self.chunkSize
    var (lower, reached) = (range.lower, start)
    var result: [(range: IDRange, sum: RangeSum)] = []
    func append(_ upper: ProjectID?, _ sum: RangeSum) {
      var part = sum
      part -= reached
      result.append((IDRange(from: lower, to: upper), part))
      (lower, reached) = (upper, sum)
    }
    for part in 1..<max(parts, 1) {
      guard let cut = try cut(at: start.count + count * part / parts, isCoarse: isCoarse),
        cut.sum.count > reached.count, cut.sum.count < end.count
      else { continue }
      append(cut.bound, cut.sum)
    }
    append(range.upper, end)
    return result
  }

  /// A bound before which there are so many items, or nearly so many.
  private func cut(
    at target: Int, isCoarse: Bool
  ) throws -> (bound: ProjectID, sum: RangeSum)? {
    var (low, high) = (0, chunks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if before[middle].count <= target { low = middle } else { high = middle }
    }
    if isCoarse {
      let isNearer = before[low + 1].count - target < target - before[low].count
      return try start(of: isNearer ? low + 1 : low)
    }
    let index = target - before[low].count
    guard index > 0 else { return try start(of: low) }
    try read(low)
    guard index < window.items.count else { return nil }
    return (
      ProjectID.separator(window.items[index - 1].id, window.items[index].id),
      window.before[index]
    )
  }

  private func start(of chunk: Int) throws -> (bound: ProjectID, sum: RangeSum)? {
    guard chunk < chunks.count, let first = chunks[chunk].first else { return nil }
    let last = try reader.last(first)
    return (last.map { ProjectID.separator($0, first) } ?? first, before[chunk])
  }

  /// - Parameter whole: whether to read all of the chunk, for what is asked next.
  private func sum(before id: ProjectID, in chunk: Int, whole: Bool) throws -> RangeSum {
    if id == chunks[chunk].first { return before[chunk] }
    if let bound = window.bound, bound.id == id { return bound.sum }
    if whole || window.chunk == chunk {
      try read(chunk)
      var (low, high) = (0, window.items.count)
      while low < high {
        let middle = (low + high) / 2
        if window.items[middle].id < id { low = middle + 1 } else { high = middle }
      }
      return window.before[low]
    }
    var sum = before[chunk]
    try reader.forEach(IDRange(from: chunks[chunk].first, to: id)) { item in
      sum += hashing.item(item.id, item.version)
      window.read += 1
    }
    window.bound = (id, sum)
    return sum
  }

  private func read(_ chunk: Int) throws {
    guard window.chunk != chunk else { return }
    window.chunk = nil
    window.items.removeAll(keepingCapacity: true)
    window.before.removeAll(keepingCapacity: true)
    var sum = before[chunk]
    let next = chunk + 1 < chunks.count ? chunks[chunk + 1].first : nil
    try reader.forEach(IDRange(from: chunks[chunk].first, to: next)) { item in
      window.items.append(item)
      window.before.append(sum)
      sum += hashing.item(item.id, item.version)
    }
    window.before.append(sum)
    window.read += window.items.count
    window.chunk = chunk
  }

  /// The chunk that an id belongs to.
  private func place(of id: ProjectID) -> Int {
    var (low, high) = (0, chunks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if let first = chunks[middle].first, id < first { high = middle } else { low = middle }
    }
    return low
  }
}

extension ProjectID {
  /// The shortest text that comes after the one id and not after the other, which is greater: bounds
  /// need not be ids that there are.
  fileprivate static func separator(_ former: ProjectID, _ next: ProjectID) -> ProjectID {
    let bytes = next.string.utf8
    let shared = zip(former.string.utf8, bytes).prefix { $0 == $1 }.count
    var end = bytes.index(bytes.startIndex, offsetBy: min(shared + 1, bytes.count))
    while end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 { bytes.formIndex(after: &end) }
    return end == bytes.endIndex ? next : ProjectID(trusted: String(next.string[..<end]))
  }
}

extension ChunkedRanges.Chunk {
  /// Cuts items, in the order of their ids, into chunks.
  package static func chunks(
    of items: some Sequence<RangeItem>, hashing: RangeHashing
  ) -> [ChunkedRanges.Chunk] {
    var chunks = [ChunkedRanges.Chunk(first: nil)]
    for item in items { append(item, to: &chunks, hashing: hashing) }
    return chunks
  }

  /// Adds the item that comes after all others.
  package static func append(
    _ item: RangeItem, to chunks: inout [ChunkedRanges.Chunk], hashing: RangeHashing
  ) {
    if chunks[chunks.count - 1].sum.count == ChunkedRanges.chunkSize {
      chunks.append(ChunkedRanges.Chunk(first: item.id))
    }
    chunks[chunks.count - 1].sum += hashing.item(item.id, item.version)
  }
}
