/// A moment, in microseconds since 1970-01-01T00:00:00Z, as SQLite stores it and rules compare it.
public struct Timestamp: Sendable, Hashable, Comparable {
  public let microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
    lhs.microseconds < rhs.microseconds
  }

  /// The span from this moment to `later`, saturating at the ends of `Int64`.
  public func microseconds(until later: Timestamp) -> Int64 {
    let (span, overflow) = later.microseconds.subtractingReportingOverflow(microseconds)
    return overflow ? (later > self ? .max : .min) : span
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339, UTC, six digits: `2026-11-30T17:24:00.123456Z`. Years after 9999 have five digits
  /// or more, which RFC 3339 does not name but which `init(rfc3339:)` reads back.
  public var description: String {
    let (seconds, micro) = microseconds.quotientAndRemainder(flooringBy: 1_000_000)
    let (days, secondOfDay) = seconds.quotientAndRemainder(flooringBy: 86_400)
    let date = CivilDate(daysSince1970: days)
    return String(unsafeUninitializedCapacity: 40) { buffer in
      var writer = DigitWriter(buffer: buffer)
      writer.write(date.year, width: 4, then: "-")
      writer.write(date.month, width: 2, then: "-")
      writer.write(date.day, width: 2, then: "T")
      writer.write(secondOfDay / 3600, width: 2, then: ":")
      writer.write(secondOfDay / 60 % 60, width: 2, then: ":")
      writer.write(secondOfDay % 60, width: 2, then: ".")
      writer.write(micro, width: 6, then: "Z")
      return writer.count
    }
  }
}

/// Writes padded numbers into a buffer that is known to be long enough.
private struct DigitWriter {
  let buffer: UnsafeMutableBufferPointer<UInt8>
  var count = 0

  /// Writes at least `width` digits, after a minus sign where there is one, and a character.
  mutating func write(_ value: Int64, width: Int, then end: Unicode.Scalar) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var digits = width
    var rest = value.magnitude
    for _ in 0..<width { rest /= 10 }
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    rest = value.magnitude
    for index in (count..<count + digits).reversed() {
      buffer[index] = UInt8(48 + rest % 10)
      rest /= 10
    }
    count += digits
    append(UInt8(ascii: end))
  }

  private mutating func append(_ byte: UInt8) {
    buffer[count] = byte
    count += 1
  }
}

/// A date of the proleptic Gregorian calendar and its distance from 1970, in days.
///
/// The arithmetic counts years from March, so that the leap day is the last of its year, in
/// eras of 400 years of 146,097 days.
struct CivilDate: Equatable {
  var year: Int64
  var month: Int64
  var day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooringBy: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndRemainder(flooringBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The number of days in this date's month.
  var daysInMonth: Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  /// Division that rounds towards negative infinity, so that the remainder is never negative.
  func quotientAndRemainder(flooringBy divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
