extension Duration {
  /// Whole milliseconds, as far as an `Int` holds them.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    let (product, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: 1000)
    return overflow ? .max : product + Int(attoseconds / 1_000_000_000_000_000)
  }
}
