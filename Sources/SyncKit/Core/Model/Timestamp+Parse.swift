extension Timestamp {
  /// Reads the stamps that servers really send.
  ///
  /// RFC 3339 with `T`, `t` or a space, any number of fraction digits (those past the sixth are
  /// dropped), `Z`, `z` or an offset; without a zone the time is UTC. A date alone is not a moment.
  /// - Returns: nil when the text is not such a stamp, or past the range of this type.
  public init?(rfc3339 text: some StringProtocol) {
    var reader = DigitReader(bytes: Array(text.utf8))
    guard let value = reader.readStamp() else { return nil }
    self.init(microseconds: value)
  }

  /// Reads a number since 1970, whose unit is told from its size: seconds up to 10¹¹, then
  /// milliseconds up to 10¹⁴, then microseconds. (10¹¹ s is the year 5138; 10¹¹ ms is 1973.)
  public init?(epoch text: some StringProtocol) {
    var reader = DigitReader(bytes: Array(text.utf8))
    guard let value = reader.readEpoch() else { return nil }
    self.init(microseconds: value)
  }
}

private struct DigitReader {
  let bytes: [UInt8]
  var index = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ accepted: String) -> Bool {
    guard let byte = current, accepted.utf8.contains(byte) else { return false }
    index += 1
    return true
  }

  private mutating func number(_ widths: ClosedRange<Int>) -> Int64? {
    var value: Int64 = 0
    let start = index
    while index - start < widths.upperBound, let byte = current, (48...57).contains(byte) {
      value = value * 10 + Int64(byte - 48)
      index += 1
    }
    return index - start >= widths.lowerBound ? value : nil
  }

  /// The fraction after a point, in millionths.
  private mutating func fraction() -> Int64? {
    var value: Int64 = 0
    var digits = 0
    while let byte = current, (48...57).contains(byte) {
      if digits < 6 { value = value * 10 + Int64(byte - 48) }
      digits += 1
      index += 1
    }
    guard digits > 0 else { return nil }
    for _ in 0..<max(0, 6 - digits) { value *= 10 }
    return value
  }

  mutating func readStamp() -> Int64? {
    guard let year = number(4...6), take("-"), let month = number(2...2), take("-"),
      let day = number(2...2), take("Tt "), let hour = number(2...2), take(":"),
      let minute = number(2...2)
    else { return nil }
    var second: Int64 = 0
    var micro: Int64 = 0
    if take(":") {
      guard let value = number(2...2) else { return nil }
      second = value
      if take(".,") {
        guard let value = fraction() else { return nil }
        micro = value
      }
    }
    let date = CivilDate(year: year, month: month, day: day)
    guard (1...12).contains(month), day >= 1, day <= date.daysInMonth, hour <= 23, minute <= 59,
      second <= 60, let offset = zone(), index == bytes.count
    else { return nil }
    let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
    // Past the year 294,247 there is no such count of microseconds.
    let (whole, tooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (value, stillTooLarge) = whole.addingReportingOverflow(micro)
    return tooLarge || stillTooLarge ? nil : value
  }

  /// The offset from UTC in seconds; 0 when there is no zone.
  private mutating func zone() -> Int64? {
    if index == bytes.count || take("Zz") { return 0 }
    let negative = current == UInt8(ascii: "-")
    guard take("+-"), let hours = number(2...2) else { return nil }
    let colon = take(":")
    guard let minutes = number(2...2) ?? (colon ? nil : 0), hours <= 23, minutes <= 59 else {
      return nil
    }
    let offset = hours * 3600 + minutes * 60
    return negative ? -offset : offset
  }

  mutating func readEpoch() -> Int64? {
    let negative = take("-")
    guard let whole = number(1...18) else { return nil }
    var micro: Int64 = 0
    if take(".") {
      guard let value = fraction() else { return nil }
      micro = value
    }
    guard index == bytes.count else { return nil }
    let value: Int64
    switch whole {
    case ..<100_000_000_000: value = whole * 1_000_000 + micro
    case ..<100_000_000_000_000: value = whole * 1000 + micro / 1000
    default: value = whole
    }
    return negative ? -value : value
  }
}
