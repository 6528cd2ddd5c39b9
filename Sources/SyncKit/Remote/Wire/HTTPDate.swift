extension Timestamp {
  /// Reads the date of an HTTP field in any of its three forms. RFC 9110, section 5.6.7.
  ///
  /// - `Sun, 06 Nov 1994 08:49:37 GMT`, what is sent now;
  /// - `Sunday, 06-Nov-94 08:49:37 GMT`, whose year is of this century below 70;
  /// - `Sun Nov  6 08:49:37 1994`.
  init?(httpDate text: String) {
    let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    guard parts.count >= 5 else { return nil }
    let isLast = Int(parts[1]) == nil
    let (day, month) = isLast ? (parts[2], parts[1]) : (parts[1], parts[2])
    let (time, year) = isLast ? (parts[3], parts[4]) : (parts[4], parts[3])
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    guard let index = months.firstIndex(of: month), let day = UInt8(day), var year = UInt16(year)
    else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    self.init(rfc3339: "\(year)-\(Self.two(index + 1))-\(Self.two(Int(day)))T\(time)Z")
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// How long a server asks to be left alone.
enum RetryAfter {
  /// The longest time that is believed.
  static let limit = Duration.seconds(3600)

  /// - Parameter now: the time to measure a date against, by the server's clock if it told it.
  /// - Returns: the time to wait, between none and `limit`; nil when the value is neither a whole
  ///   number of seconds nor a date.
  static func delay(_ value: String, now: Timestamp) -> Duration? {
    let value = value.trimmed
    if !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) {
      return min(Int64(value).map { .seconds($0) } ?? limit, limit)
    }
    guard let date = Timestamp(httpDate: value) else { return nil }
    return min(max(.microseconds(now.microseconds(until: date)), .zero), limit)
  }
}
