extension Duration {
  /// Whole milliseconds, as far as an `Int` holds them.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    let (product, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: 1000)
    return overflow ? .max : product + Int(attoseconds / 1_000_000_000_000_000)
  }

  /// Whole microseconds, as far as an `Int64` holds them.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000_000
  }
}
