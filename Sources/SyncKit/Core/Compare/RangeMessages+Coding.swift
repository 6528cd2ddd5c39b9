/// How a range is written in a question: three flags, and above them the number of bytes of its upper
/// bound that the former bound does not have.
private enum RangeFlags {
  static let fingerprint: UInt64 = 1
  /// It begins behind where the former one ends, at a bound that follows.
  static let lower: UInt64 = 2
  /// It ends at a bound that follows; else nothing comes behind it.
  static let upper: UInt64 = 4
  static let bits: UInt64 = 3
}

extension RangeQuestion {
  /// - Throws: `RangeMessageError`.
  package init(_ bytes: [UInt8]) throws(RangeMessageError) {
    var reader = try RangeMessageReader(bytes)
    let parts = try reader.count(atMost: RangeLimits.parts.upperBound)
    guard RangeLimits.parts.contains(parts) else { throw .number }
    self.init(parts: parts, ranges: [])
    var reached: ProjectID?
    while !reader.isAtEnd {
      guard ranges.count < RangeLimits.asked else { throw .tooMany(RangeLimits.asked) }
      guard ranges.isEmpty || reached != nil else { throw .order }
      let head = try reader.number()
      if head & RangeFlags.lower != 0 {
        let lower = try reader.bound()
        if let reached, lower <= reached { throw .order }
        reached = lower
      }
      var range = IDRange(from: reached)
      let length = head >> RangeFlags.bits
      if head & RangeFlags.upper != 0 {
        guard length <= UInt64(ProjectID.maximumBytes) else { throw .id }
        range.upper = try reader.bound(Int(length))
        guard !range.isEmpty else { throw .order }
      } else if length > 0 {
        throw .flags
      }
      reached = range.upper
      let isKnown = head & RangeFlags.fingerprint != 0
      ranges.append(AskedRange(range, fingerprint: isKnown ? try reader.fingerprint() : nil))
    }
    guard !ranges.isEmpty else { throw .truncated }
  }

  package var bytes: [UInt8] {
    var writer = RangeMessageWriter()
    writer.append(count: parts)
    var reached: ProjectID?
    for asked in ranges {
      var flags = asked.fingerprint == nil ? 0 : RangeFlags.fingerprint
      if asked.range.lower != reached { flags |= RangeFlags.lower }
      if let upper = asked.range.upper {
        flags |= RangeFlags.upper
        // The former bound is always the lower one.
        flags |= UInt64(upper.bytesUnshared(with: asked.range.lower)) << RangeFlags.bits
      }
      writer.append(number: flags)
      if flags & RangeFlags.lower != 0, let lower = asked.range.lower {
        writer.append(bound: lower)
      }
      if let upper = asked.range.upper { writer.append(bound: upper, hasLength: false) }
      if let fingerprint = asked.fingerprint { writer.append(fingerprint) }
      reached = asked.range.upper
    }
    return writer.bytes
  }
}

extension RangeAnswer {
  /// - Parameter asked: the number of ranges that were asked about.
  /// - Throws: `RangeMessageError`.
  package init(_ bytes: [UInt8], asked: Int) throws(RangeMessageError) {
    var reader = try RangeMessageReader(bytes)
    let records = try reader.count(atMost: .max)
    let answered = try reader.count(atMost: asked)
    self.init(records: records, contents: [])
    var (items, parts) = (0, 0)
    while !reader.isAtEnd {
      // Those that are not named are equal.
      let head = try reader.number()
      guard head >> 1 < UInt64(answered - contents.count) else { throw .order }
      contents += Array(repeating: .equal, count: Int(head >> 1))
      if head & 1 == 1 {
        let count = try reader.count(atMost: RangeLimits.itemsInAnswer)
        items += count
        guard items <= RangeLimits.itemsInAnswer else {
          throw .tooMany(RangeLimits.itemsInAnswer)
        }
        var list: [RemoteDigest] = []
        for _ in 0..<count { list.append(try reader.item()) }
        contents.append(.items(list))
      } else {
        let count = try reader.count(atMost: RangeLimits.parts.upperBound)
        guard count > 0 else { throw .number }
        parts += count
        guard parts <= RangeLimits.partsInAnswer else {
          throw .tooMany(RangeLimits.partsInAnswer)
        }
        var fingerprints = [try reader.fingerprint()]
        var bounds: [ProjectID] = []
        for _ in 1..<count {
          bounds.append(try reader.bound())
          fingerprints.append(try reader.fingerprint())
        }
        contents.append(.parts(bounds: bounds, fingerprints))
      }
    }
    contents += Array(repeating: .equal, count: answered - contents.count)
  }

  package var bytes: [UInt8] {
    var writer = RangeMessageWriter()
    writer.append(count: records)
    writer.append(count: contents.count)
    var equal = 0
    for answer in contents {
      switch answer {
      case .equal:
        equal += 1
        continue
      case .items(let items):
        writer.append(number: UInt64(equal) << 1 | 1)
        writer.append(count: items.count)
        for item in items { writer.append(item: item) }
      case .parts(let bounds, let fingerprints):
        writer.append(number: UInt64(equal) << 1)
        writer.append(count: fingerprints.count)
        for (index, fingerprint) in fingerprints.enumerated() {
          if index > 0 { writer.append(bound: bounds[index - 1]) }
          writer.append(fingerprint)
        }
      }
      equal = 0
    }
    return writer.bytes
  }
}
