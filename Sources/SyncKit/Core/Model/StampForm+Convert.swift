extension RecordFields.StampForm {
  /// The microseconds of one unit.
  private var unit: Int64? {
    switch self {
    case .rfc3339: nil
    case .seconds: 1_000_000
    case .milliseconds: 1000
    case .microseconds: 1
    }
  }

  /// The moment as a JSON value.
  package func json(_ stamp: Timestamp) -> String {
    guard let unit else { return "\"\(stamp)\"" }
    return String(stamp.microseconds.quotientAndRemainder(flooringBy: unit).0)
  }

  /// The moment that a JSON number says, whatever its size; nil for what is none in this form, which
  /// is left to be read by its looks.
  package func stamp(number text: String) -> Timestamp? {
    guard let unit else { return nil }
    let parts = text.split(separator: ".", maxSplits: 1)
    guard let first = parts.first, let whole = Int64(first) else { return nil }
    let (value, isOver) = whole.multipliedReportingOverflow(by: unit)
    guard !isOver else { return nil }
    var rest: Int64 = 0
    if parts.count == 2 {
      var scale = unit
      for digit in parts[1].utf8 {
        guard (48...57).contains(digit) else { return nil }
        scale /= 10
        rest += Int64(digit - 48) * scale
      }
    }
    let micro = value.addingReportingOverflow(first.hasPrefix("-") ? -rest : rest)
    return micro.overflow ? nil : Timestamp(microseconds: micro.partialValue)
  }
}
