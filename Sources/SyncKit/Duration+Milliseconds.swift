extension Duration {
  /// Whole milliseconds, as far as an `Int` holds them.
  var milliseconds: Int {
    let (product, overflow) = Int(clamping: components.seconds).multipliedReportingOverflow(by: 1000)
    return overflow ? .max : product + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
