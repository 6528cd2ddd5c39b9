/// A set in the order of its ids, with the sums of its chunks at hand: the sum of any range is that
/// of whole chunks and of what is read at its two ends.
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

  /// Items in a chunk, where it is made anew.
  package static let chunkSize = 256

  package let hashing: RangeHashing
  private let chunks: [Chunk]
  /// The sum of all chunks before the one of the same index; one more at the end.
  private let before: [RangeSum]
  /// Reads the items of a range in the order of their ids.
  private let read: (IDRange) throws -> [RangeItem]

  /// - Parameter chunks: in order; the first without an id.
  package init(
    _ chunks: [Chunk], hashing: RangeHashing, read: @escaping (IDRange) throws -> [RangeItem]
  ) {
    self.chunks = chunks.isEmpty ? [Chunk(first: nil)] : chunks
    self.hashing = hashing
    self.read = read
    var before = [RangeSum()]
    for chunk in self.chunks {
      var sum = before[before.count - 1]
      sum += chunk.sum
      before.append(sum)
    }
    self.before = before
  }

  package var count: Int { before[chunks.count].count }

  package func items(in range: IDRange) throws -> [RangeItem] { try read(range) }

  package func sum(of range: IDRange) throws -> RangeSum {
    if range.isEmpty { return RangeSum() }
    let (start, end) = (place(of: range.lower) ?? 0, place(of: range.upper) ?? chunks.count)
    if start == end { return hashing.sum(try read(range)) }
    let startsWhole = range.lower == nil || range.lower == chunks[start].first
    var sum = before[end]
    sum -= before[startsWhole ? start : start + 1]
    if !startsWhole {
      sum += hashing.sum(try read(IDRange(from: range.lower, to: first(of: start + 1))))
    }
    if let upper = range.upper, upper != chunks[end].first {
      sum += hashing.sum(try read(IDRange(from: chunks[end].first, to: upper)))
    }
    return sum
  }

  /// Cuts a range into up to so many parts of nearly equal size.
  package func split(_ range: IDRange, into parts: Int) throws -> [IDRange] {
    let (start, end) = (place(of: range.lower) ?? 0, place(of: range.upper) ?? chunks.count - 1)
    // Where there are many chunks, their ends are near enough.
    if end - start >= 2 * parts {
      let inside = (start + 1)...end
      return range.cut(
        at: (1..<parts).compactMap { chunks[start + 1 + inside.count * $0 / parts - 1].first })
    }
    let items = try read(range)
    guard items.count >= parts else { return range.cut(at: items.dropFirst().map(\.id)) }
    return range.cut(at: (1..<parts).map { items[items.count * $0 / parts].id })
  }

  private func first(of index: Int) -> ProjectID? {
    index < chunks.count ? chunks[index].first : nil
  }

  /// The chunk that an id belongs to.
  private func place(of id: ProjectID?) -> Int? {
    guard let id else { return nil }
    var (low, high) = (0, chunks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if let first = chunks[middle].first, id < first { high = middle } else { low = middle }
    }
    return low
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
